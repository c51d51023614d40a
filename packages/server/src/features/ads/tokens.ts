/** Secrets and IDs of single visits, and how used ones are stored. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../deps.ts'

const CLICK_BYTES = 18

/** ID by which a provider refers to a visit. The visitor knows it too. */
export function newClickId({ random }: Pick<Deps, 'random'>): string {
  return random(CLICK_BYTES).toString('base64url')
}

/** The secret that a visitor brings back. It is not stored but derived from the click ID and a server key. */
export function stateOf({ secrets }: Pick<Deps, 'secrets'>, clickId: string): string {
  const state = createHmac('sha256', secrets.pageKey).update(`ad state\0${clickId}`).digest()
  return state.subarray(0, 16).toString('base64url')
}

export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The stored form of a token that is single-use for a purpose. */
export function usedToken(purpose: string, token: string): string {
  return hash('sha256', `${purpose}\0${token}`, 'hex')
}
