/**
 * Captchas for visitors: when one is required, and its difficulty. `features/abuse/captcha.ts` verifies
 * solutions.
 */
import type { Deps } from '../../../deps.ts'
import { type CaptchaKind, isProof, POW_BITS, type Proof } from '../../abuse/captcha.ts'
import type { NetworkRecord } from '../network-record.ts'
import type { Notice } from '../notices.ts'
import type { AdVisitorRow } from '../store/ad-visitors.ts'
import type { Presence } from './visitors.ts'

const MAX_POW_BITS = 22
/** At or above this risk score, a visitor must solve a captcha even if captchas are turned off. */
const RISK = 3
/**
 * After this many starts from a network within an hour, unknown visitors must solve a captcha. Each multiple
 * of this number adds one bit of difficulty.
 */
const STARTS = 5

type Asker = {
  readonly visitor: AdVisitorRow | undefined
  readonly network: NetworkRecord | undefined
}

export function captchaFor(deps: Pick<Deps, 'config'>, asker: Asker): CaptchaKind | undefined {
  const { adsCaptcha } = deps.config
  if (adsCaptcha !== 'off') return adsCaptcha
  return suspicion(deps, asker) > 0 ? 'pow' : undefined
}

/**
 * Number of leading zero bits in the proof of work. More are required if the visitor or the network behaves
 * like a bot.
 */
export function powBits(deps: Pick<Deps, 'config'>, asker: Asker): number {
  return Math.min(MAX_POW_BITS, POW_BITS + suspicion(deps, asker))
}

function suspicion({ config }: Pick<Deps, 'config'>, { visitor, network }: Asker): number {
  const risk = visitor?.risk ?? network?.risk ?? 0
  const byStarts = network ? Math.floor(network.starts / (STARTS * config.adsRates)) : 0
  return Math.max(risk >= RISK ? risk - RISK + 1 : 0, byStarts)
}

/**
 * Returns undefined if the proof is valid. `useProof` then marks it as used, in the transaction of the action
 * that required it.
 */
export async function refuseProof(
  deps: Deps,
  kind: CaptchaKind,
  { presence, ...asker }: Asker & { readonly presence: Presence },
  proof: Proof,
): Promise<Notice | undefined> {
  const { cookie: owner = '', address } = presence
  const isGood = await isProof(deps, kind, { owner, address, bits: powBits(deps, asker) }, proof)
  return isGood ? undefined : { reason: 'captcha_failed' }
}
