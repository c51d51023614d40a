/** Secrets and names of single visits, and the form in which used ones are remembered. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../deps.ts'

const CLICK_BYTES = 18

/** By which a provider names a visit; known to the visitor too. */
export function newClickId({ random }: Pick<Deps, 'random'>): string {
  return random(CLICK_BYTES).toString('base64url')
}

/** The secret that a visitor brings back. Not stored: derived from the click id and a key of the service. */
export function stateOf({ secrets }: Pick<Deps, 'secrets'>, clickId: string): string {
  const state = createHmac('sha256', secrets.pageKey).update(`ad state\0${clickId}`).digest()
  return state.subarray(0, 16).toString('base64url')
}

export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Of a token that counts once for a purpose. */
export function usedToken(purpose: string, token: string): string {
  return hash('sha256', `${purpose}\0${token}`, 'hex')
}
