/**
 * How a visitor proves that he is no program: by a sum that costs a machine some time, made and checked here without being
 * kept, or by whatever verifier the operator named. When it is asked for at all is decided here too.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { askVerifier } from '../adproviders/verifier.ts'
import type { Deps } from '../deps.ts'
import { insertAdUsedToken } from '../store/ad-used-tokens.ts'
import type { AdVisitorRow } from '../store/ad-visitors.ts'
import type { Queries } from '../store/db.ts'
import type { Notice } from './ad-notices.ts'
import { usedToken } from './ad-tokens.ts'
import type { Presence } from './ad-visitors.ts'

export type CaptchaKind = 'pow' | 'external'
/** The fields of the form as they were sent. */
export type Proof = { readonly challenge?: string; readonly solution?: string; readonly answer?: string }

export const POW_BITS = 18
/** From here on a visitor is asked even where nobody is. */
const RISK = 3
const CHALLENGE_MS = 10 * 60_000
const NONCE_BYTES = 12
const LONGEST = 256
const LONGEST_ANSWER = 8192

export function captchaFor(
  { config }: Pick<Deps, 'config'>,
  visitor: AdVisitorRow | undefined,
): CaptchaKind | undefined {
  if (config.adsCaptcha !== 'off') return config.adsCaptcha
  return (visitor?.risk ?? 0) >= RISK ? 'pow' : undefined
}

/** For this browser alone, and for ten minutes. */
export function makeChallenge(deps: Pick<Deps, 'now' | 'random' | 'protocol'>, cookie: string): string {
  const expires = (deps.now() + CHALLENGE_MS).toString(36)
  const content = `${expires}.${deps.random(NONCE_BYTES).toString('base64url')}`
  return `${content}.${sign(deps, cookie, content)}`
}

/** Undefined when the proof is good; it is used up by `useProof`, in the transaction that it is for. */
export async function refuseProof(
  deps: Deps,
  kind: CaptchaKind,
  presence: Presence,
  proof: Proof,
): Promise<Notice | undefined> {
  const isGood = kind === 'pow' ? isSolved(deps, presence, proof) : await isVerified(deps, presence, proof)
  return isGood ? undefined : { reason: 'captcha_failed' }
}

/** False when the same proof was used before. */
export function useProof(tx: Queries, kind: CaptchaKind, proof: Proof, now: number): Promise<boolean> {
  const text = (kind === 'pow' ? proof.challenge : proof.answer) ?? ''
  return insertAdUsedToken(tx, { hash: usedToken(`captcha ${kind}`, text), used_at: now })
}

function isSolved(
  deps: Pick<Deps, 'now' | 'protocol'>,
  { cookie = '' }: Presence,
  { challenge = '', solution = '' }: Proof,
): boolean {
  if (challenge.length > LONGEST || solution.length > LONGEST) return false
  const [expires = '', nonce = '', signature = ''] = challenge.split('.')
  const expected = Buffer.from(sign(deps, cookie, `${expires}.${nonce}`))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  if (!(Number.parseInt(expires, 36) > deps.now())) return false
  const digest = createHash('sha256').update(`${challenge}:${solution}`).digest()
  return digest.readUInt32BE(0) >>> (32 - POW_BITS) === 0
}

async function isVerified({ config }: Deps, { address }: Presence, { answer = '' }: Proof): Promise<boolean> {
  const verifier = config.adsVerifier
  if (verifier === undefined || answer === '' || answer.length > LONGEST_ANSWER) return false
  return askVerifier(verifier, { answer, address })
}

function sign({ protocol }: Pick<Deps, 'protocol'>, cookie: string, content: string): string {
  const signature = createHmac('sha256', protocol.keyring.pageKey)
  signature.update(`captcha\0${cookie}\0${content}`)
  return signature.digest().subarray(0, 16).toString('base64url')
}
