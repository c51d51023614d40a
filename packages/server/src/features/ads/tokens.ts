/** Secrets and IDs of individual visits, and the stored form of used tokens. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../deps.ts'

const CLICK_BYTES = 18

/** The ID that a provider uses for a visit. The visitor can see it too. */
export function newClickId({ random }: Pick<Deps, 'random'>): string {
  return random(CLICK_BYTES).toString('base64url')
}

/**
 * The secret that a visitor must bring back from the provider. It is derived from the click ID and a server
 * key, so it doesn't need to be stored.
 */
export function stateOf({ secrets }: Pick<Deps, 'secrets'>, clickId: string): string {
  const state = createHmac('sha256', secrets.pageKey).update(`ad state\0${clickId}`).digest()
  return state.subarray(0, 16).toString('base64url')
}

export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The stored form of a single-use token. */
export function usedToken(purpose: string, token: string): string {
  return hash('sha256', `${purpose}\0${token}`, 'hex')
}
