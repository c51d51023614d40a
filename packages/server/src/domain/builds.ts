/**
 * From a source to a version: the obfuscation that it costs, the obfuscator's work, the proof by the author's test, and
 * the row that is kept. Where it is kept, and what is served, is decided in `scripts.ts`.
 */
import type { ObfuscateOptions } from '@scriptward/obfuscator'
import type { Deps } from '../deps.ts'
import type { Protected } from '../obfuscation/pool.ts'
import type { CustomerRow } from '../store/customers.ts'
import type { Queries } from '../store/db.ts'
import type { NewScriptVersion } from '../store/script-versions.ts'
import { checkOptions, type OptionValues } from './obfuscator-options.ts'
import { sealServiceKey, writeSlots } from './payloads.ts'
import { keepObfuscation, releaseObfuscation, reserveObfuscation } from './quotas.ts'
import { Refused, refuse, refuseMember } from './refusals.ts'
import { openText, SEAL_NONCE_BYTES, sealText } from './sealing.ts'

/** What is to be built. */
export type Order = {
  readonly scriptId: string
  readonly source: string
  readonly options: OptionValues
  /** What the build must do as the source does; null when the author gave none. */
  readonly test: string | null
}

export type BuildReason =
  | 'invalid_request'
  | 'max_obfuscations_reached'
  | 'obfuscation_failed'
  | 'rate_limited'
  | 'too_large'
  | 'unavailable'
  | 'unauthorized'

export type BuiltVersion = Omit<NewScriptVersion, 'version'>

/** What scripts reach their licence by: a local of the whole chunk, not a global. */
const PARAMETERS = ['ward']
const SEED_BYTES = 16
const SERVICE_KEY_BYTES = 32
/** Places for the watermark, as client protocol §10 wants them. */
const SLOTS = 1024
/** Seconds after which a queue of obfuscations is likely to be shorter. */
const BUSY_RETRY_S = 5

/** A build, and the key that its locks are under. */
type Build = Protected & { readonly serviceKey: Buffer }

/** Makes the reserved obfuscation a used one, in the transaction that keeps what was built. */
type Settle = (tx: Queries) => Promise<undefined | Refused<'unauthorized'>>

/** Takes one obfuscation from the account before the work, and gives it back unless `keep` kept what was built. */
export async function buildOnQuota<T>(
  deps: Deps,
  customer: CustomerRow,
  order: Order,
  keep: (version: BuiltVersion, settle: Settle) => Promise<T>,
): Promise<T | Refused<BuildReason>> {
  const options = checkOrder(deps, order)
  if (options instanceof Refused) return options
  const limited = order.test === null ? undefined : await limitProofs(deps, customer)
  if (limited) return limited
  const reserved = await reserveObfuscation(deps, customer.id)
  if (reserved instanceof Refused) return reserved
  const settle: Settle = (tx) => keepObfuscation(tx, customer.id, reserved)
  let isKept = false
  try {
    const build = await obfuscate(deps, order, options)
    const outcome = build instanceof Refused ? build : await keep(versionOf(deps, order, build), settle)
    isKept = !(outcome instanceof Refused)
    return outcome
  } finally {
    if (!isKept) await releaseObfuscation(deps, customer.id, reserved)
  }
}

/** The test that a version was proved with. */
export function openTest({ protocol }: Deps, scriptId: string, sealed: Uint8Array | null): string | null {
  return sealed && openText(protocol.keyring.sourceKey, testOf(scriptId), sealed)
}

function checkOrder(
  { config }: Deps,
  { source, test, options }: Order,
): ObfuscateOptions | Refused<'invalid_request' | 'too_large'> {
  const size = Buffer.byteLength(source)
  if (size > config.scriptLimit) return refuse('too_large', { limit: config.scriptLimit })
  const checked = checkOptions(options)
  if (checked instanceof Refused || test === null) return checked
  const { target = 'any' } = checked
  if (target === 'any' || target === 'luau') return checked
  return refuseMember('test_script', `runs in Luau, so target must be 'any' or 'luau' and not '${target}'`)
}

async function limitProofs(
  { protocol, now }: Deps,
  customer: CustomerRow,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await protocol.limits.take('proof', customer.id, now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

async function obfuscate(
  deps: Deps,
  { source, test }: Order,
  options: ObfuscateOptions,
): Promise<Build | Refused<'obfuscation_failed' | 'unavailable'>> {
  const seed = options.seed ?? deps.random(SEED_BYTES).toString('hex')
  const serviceKey = deps.random(SERVICE_KEY_BYTES)
  const all = { ...options, parameters: PARAMETERS, seed, slots: SLOTS, serviceKey }
  const outcome = await deps.obfuscator.run(source, all, test)
  if (outcome === 'busy') return refuse('unavailable', { retry_after: BUSY_RETRY_S })
  if ('errors' in outcome) return refuse('obfuscation_failed', { obfuscator_errors: outcome.errors })
  return { ...outcome, serviceKey }
}

function versionOf(deps: Deps, { scriptId, source, options, test }: Order, build: Build): BuiltVersion {
  const seal = (owner: string, text: string) =>
    sealText(deps.protocol.keyring.sourceKey, owner, text, deps.random(SEAL_NONCE_BYTES))
  return {
    script_id: scriptId,
    preset: build.report.preset,
    created_at: deps.now(),
    source: seal(scriptId, source),
    source_bytes: Buffer.byteLength(source),
    payload: build.payload,
    payload_size: build.size,
    slots: writeSlots(build.slots),
    data: build.split?.data ?? null,
    data_size: build.split?.size ?? null,
    data_at: build.split?.at ?? null,
    interpreter: build.split?.interpreter ?? null,
    options: JSON.stringify(options),
    test_script: test === null ? null : seal(testOf(scriptId), test),
    service_key: build.pads.length === 0 ? null : sealServiceKey(deps, scriptId, build.serviceKey),
    report: JSON.stringify(build.report),
    duration_ms: build.durationMs,
  }
}

/** A test must not be taken for the source of its script. */
function testOf(scriptId: string): string {
  return `test ${scriptId}`
}
