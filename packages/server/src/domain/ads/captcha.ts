/**
 * The captcha of visitors: when it is required, and whether it was solved. Either proof of work, created and checked here
 * without storing anything, or an external verifier that the operator configured.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { askVerifier } from '../../adproviders/verifier.ts'
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { insertAdUsedToken } from '../../store/tables/ad-used-tokens.ts'
import type { AdVisitorRow } from '../../store/tables/ad-visitors.ts'
import type { NetworkRecord } from './network-record.ts'
import type { Notice } from './notices.ts'
import { usedToken } from './tokens.ts'
import type { Presence } from './visitors.ts'

export type CaptchaKind = 'pow' | 'external'
/** The fields of the form as they were sent. */
export type Proof = { readonly challenge?: string; readonly solution?: string; readonly answer?: string }

/** A browser needs about a second for it, and twice as long for each bit more. */
const POW_BITS = 18
const MOST_POW_BITS = 22
/** From this risk on a visitor must solve a captcha even where it is off. */
const RISK = 3
/** So many starts of a network in an hour ask its unknown visitors for a captcha, and as many again for one bit more. */
const STARTS = 5
const CHALLENGE_MS = 10 * 60_000
const NONCE_BYTES = 12
const MAX_LENGTH = 256
const MAX_ANSWER_LENGTH = 8192

type Asker = {
  readonly visitor: AdVisitorRow | undefined
  readonly network: NetworkRecord | undefined
}

export function captchaFor(deps: Pick<Deps, 'config'>, asker: Asker): CaptchaKind | undefined {
  const { adsCaptcha } = deps.config
  if (adsCaptcha !== 'off') return adsCaptcha
  return suspicion(deps, asker) > 0 ? 'pow' : undefined
}

/** Zero bits that the proof of work needs: more for a visitor or a network that behaves like a program. */
export function powBits(deps: Pick<Deps, 'config'>, asker: Asker): number {
  return Math.min(MOST_POW_BITS, POW_BITS + suspicion(deps, asker))
}

function suspicion({ config }: Pick<Deps, 'config'>, { visitor, network }: Asker): number {
  const risk = visitor?.risk ?? network?.risk ?? 0
  const byStarts = network ? Math.floor(network.starts / (STARTS * config.adsRates)) : 0
  return Math.max(risk >= RISK ? risk - RISK + 1 : 0, byStarts)
}

/** Valid for this browser, for ten minutes. */
export function makeChallenge(deps: Pick<Deps, 'now' | 'random' | 'secrets'>, cookie: string): string {
  const expires = (deps.now() + CHALLENGE_MS).toString(36)
  const content = `${expires}.${deps.random(NONCE_BYTES).toString('base64url')}`
  return `${content}.${sign(deps, cookie, content)}`
}

/** Undefined when the proof is valid; `useProof` then uses it up, in the transaction that it pays for. */
export async function refuseProof(
  deps: Deps,
  kind: CaptchaKind,
  { presence, ...asker }: Asker & { readonly presence: Presence },
  proof: Proof,
): Promise<Notice | undefined> {
  const isGood =
    kind === 'pow'
      ? isSolved(deps, presence, proof, powBits(deps, asker))
      : await isVerified(deps, presence, proof)
  return isGood ? undefined : { reason: 'captcha_failed' }
}

/** False when this proof was used before. */
export function useProof(tx: Queries, kind: CaptchaKind, proof: Proof, now: number): Promise<boolean> {
  const text = (kind === 'pow' ? proof.challenge : proof.answer) ?? ''
  return insertAdUsedToken(tx, { hash: usedToken(`captcha ${kind}`, text), used_at: now })
}

function isSolved(
  deps: Pick<Deps, 'now' | 'secrets'>,
  { cookie = '' }: Presence,
  { challenge = '', solution = '' }: Proof,
  bits: number,
): boolean {
  if (challenge.length > MAX_LENGTH || solution.length > MAX_LENGTH) return false
  const [expires = '', nonce = '', signature = ''] = challenge.split('.')
  const expected = Buffer.from(sign(deps, cookie, `${expires}.${nonce}`))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  if (!(Number.parseInt(expires, 36) > deps.now())) return false
  const digest = createHash('sha256').update(`${challenge}:${solution}`).digest()
  return digest.readUInt32BE(0) >>> (32 - bits) === 0
}

async function isVerified({ config }: Deps, { address }: Presence, { answer = '' }: Proof): Promise<boolean> {
  const verifier = config.adsVerifier
  if (verifier === undefined || answer === '' || answer.length > MAX_ANSWER_LENGTH) return false
  return askVerifier(verifier, { answer, address })
}

function sign({ secrets }: Pick<Deps, 'secrets'>, cookie: string, content: string): string {
  const signature = createHmac('sha256', secrets.pageKey)
  signature.update(`captcha\0${cookie}\0${content}`)
  return signature.digest().subarray(0, 16).toString('base64url')
}
