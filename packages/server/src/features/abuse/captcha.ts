/**
 * Captchas: a stateless proof of work that this module creates and checks, or an external verifier that the
 * operator configured.
 */
import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { askVerifier } from '../../platform/ad-providers/verifier.ts'
import { insertAdUsedToken } from '../ads/store/ad-used-tokens.ts'

export type CaptchaKind = 'pow' | 'external'
/** The captcha fields exactly as the client sent them. */
export type Proof = { readonly challenge?: string; readonly solution?: string; readonly answer?: string }

/**
 * Number of leading zero bits in a proof of work. A browser needs about a second. Each additional bit doubles
 * the time.
 */
export const POW_BITS = 18
const CHALLENGE_MS = 10 * 60_000
const NONCE_BYTES = 12
const MAX_LENGTH = 256
const MAX_ANSWER_LENGTH = 8192

/** Returns a challenge that is valid for ten minutes, and only for one owner: a cookie or a network. */
export function makeChallenge(deps: Pick<Deps, 'now' | 'random' | 'secrets'>, owner: string): string {
  const expires = (deps.now() + CHALLENGE_MS).toString(36)
  const content = `${expires}.${deps.random(NONCE_BYTES).toString('base64url')}`
  return `${content}.${sign(deps, owner, content)}`
}

type Solver = { readonly owner: string; readonly address: string; readonly bits: number }

/**
 * Checks the proof without marking it as used. `useProof` marks it, in the transaction of the action that
 * required it.
 */
export async function isProof(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  kind: CaptchaKind,
  solver: Solver,
  proof: Proof,
): Promise<boolean> {
  return kind === 'pow' ? isSolved(deps, solver, proof) : isVerified(deps, solver, proof)
}

/** Returns false if the proof has already been used. */
export function useProof(tx: Queries, kind: CaptchaKind, proof: Proof, now: number): Promise<boolean> {
  const text = (kind === 'pow' ? proof.challenge : proof.answer) ?? ''
  return insertAdUsedToken(tx, { hash: hash('sha256', `captcha ${kind}\0${text}`, 'hex'), used_at: now })
}

function isSolved(
  deps: Pick<Deps, 'now' | 'secrets'>,
  { owner, bits }: Solver,
  { challenge = '', solution = '' }: Proof,
): boolean {
  if (challenge.length > MAX_LENGTH || solution.length > MAX_LENGTH) return false
  const [expires = '', nonce = '', signature = ''] = challenge.split('.')
  const expected = Buffer.from(sign(deps, owner, `${expires}.${nonce}`))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  if (!(Number.parseInt(expires, 36) > deps.now())) return false
  const digest = createHash('sha256').update(`${challenge}:${solution}`).digest()
  return digest.readUInt32BE(0) >>> (32 - bits) === 0
}

async function isVerified(
  { config }: Pick<Deps, 'config'>,
  { address }: Solver,
  { answer = '' }: Proof,
): Promise<boolean> {
  const verifier = config.adsVerifier
  if (verifier === undefined || answer === '' || answer.length > MAX_ANSWER_LENGTH) return false
  return askVerifier(verifier, { answer, address })
}

function sign({ secrets }: Pick<Deps, 'secrets'>, owner: string, content: string): string {
  const signature = createHmac('sha256', secrets.pageKey)
  signature.update(`captcha\0${owner}\0${content}`)
  return signature.digest().subarray(0, 16).toString('base64url')
}
