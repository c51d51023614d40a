/**
 * Builds a version from a source: checks the build request, obfuscates the source, runs the author's test
 * against the result, and returns the row. `scripts.ts` charges the build to the account's quota, stores the
 * version, and decides which version is served.
 */
import {
  type Message,
  type ObfuscateOptions,
  type Report,
  SERVER_OPTIONS,
  type ServerCode,
} from '@scriptward/obfuscator'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { chargeExhausted, type Reservation } from '../accounts/obfuscation-reservations.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { Protected } from '../builds/build.ts'
import { writeLocks } from '../builds/payloads.ts'
import { writeSlots } from '../builds/stored-slots.ts'
import { tracedBuild } from '../builds/traced-build.ts'
import { findMissingFunctions, type MissingFunction, wordMissing } from '../executors/missing-functions.ts'
import { storeServerCode } from '../functions/moved-code.ts'
import { checkMessages, storeMessages } from '../messages/templates.ts'
import { insertLineMap } from '../traces/store/line-maps.ts'
import { checkOptions, type OptionValues } from './options.ts'
import { checkFiles, type SourceFiles, sealFiles, sizeOf, sourceOf } from './source-files.ts'
import { insertScriptVersion, type NewScriptVersion } from './store/script-versions.ts'

/** Release notes of an upload, and whether customers see them. */
export type VersionNotes = { readonly notes: string | null; readonly isPublic: boolean }

export type BuildOrder = {
  readonly scriptId: string
  readonly source: string
  /** The other files of the source tree, or null for a single-file script. */
  readonly files: SourceFiles | null
  readonly options: OptionValues
  /** Smoke test in which the build must behave like the source, or null if the author didn't provide one. */
  readonly test: string | null
  readonly notes: VersionNotes
  /** Aborts the queued or running build if the client disconnects. */
  readonly signal?: AbortSignal | undefined
}

/** The account that is charged for a build, and the quota that the build uses. */
export type Payer = { readonly customerId: string; readonly reserved: Reservation }

export type BuildReason =
  | 'invalid_request'
  | 'max_obfuscations_reached'
  | 'obfuscation_failed'
  | 'rate_limited'
  | 'too_large'
  | 'unavailable'
  | 'unauthorized'

/**
 * Everything that is stored for a version: its row, its messages (whose webhook endpoints don't exist yet)
 * and its encrypted line map.
 */
export type BuiltVersion = {
  readonly row: Omit<NewScriptVersion, 'version' | 'messages'>
  readonly messages: readonly Message[]
  readonly serverCode: readonly ServerCode[]
  readonly lineMap: Uint8Array
}

const SEED_BYTES = 16
const SERVICE_KEY_BYTES = 32
/**
 * Seconds after which a client should retry if the obfuscation queue, or the account's share of it, is full.
 */
const BUSY_RETRY_S = 5

/** A build, and the key from which its lock keys are derived. */
type Build = Omit<Protected, 'report'> & { readonly serviceKey: Buffer; readonly report: StoredReport }
type StoredReport = Omit<Report, 'hostUses'> & { readonly missing_functions: readonly MissingFunction[] }

/**
 * Returns the obfuscator options if this build is allowed. Tests are rate-limited, because each one runs the
 * script.
 */
export async function prepareBuild(
  deps: Deps,
  customer: CustomerRow,
  order: BuildOrder,
): Promise<ObfuscateOptions | Refused<'invalid_request' | 'too_large' | 'rate_limited'>> {
  const options = checkOrder(deps, order)
  if (options instanceof Refused || order.test === null) return options
  return (await limitProofs(deps, customer)) ?? options
}

/** Builds the new version without storing it. A failed build may still use up the reservation. */
export async function buildVersion(
  deps: Deps,
  order: BuildOrder,
  options: ObfuscateOptions,
  payer: Payer,
): Promise<BuiltVersion | Refused<'obfuscation_failed' | 'rate_limited' | 'unavailable'>> {
  const seed = options.seed ?? deps.random(SEED_BYTES).toString('hex')
  const serviceKey = deps.random(SERVICE_KEY_BYTES)
  const all = { ...options, ...SERVER_OPTIONS, seed, serviceKey }
  const { test, signal } = order
  const source = sourceOf(order.source, order.files)
  const request = { owner: payer.customerId, source, test, options: all, signal }
  const outcome = await tracedBuild(deps.spans, 'build script', { obfuscator: deps.obfuscator, request })
  if (outcome === 'too_many') return refuse('rate_limited', { retry_after: BUSY_RETRY_S })
  if (outcome === 'busy') return refuse('unavailable', { retry_after: BUSY_RETRY_S })
  if (!('errors' in outcome)) {
    const complaints = checkMessages(deps, outcome.messages)
    if (complaints.length > 0) return refuse('obfuscation_failed', { obfuscator_errors: complaints })
    const report = await reportOf(deps, order, outcome.report)
    return versionOf(deps, order, { ...outcome, serviceKey, report })
  }
  if (outcome.isExhausted) await chargeExhausted(deps, payer.customerId, payer.reserved)
  return refuse('obfuscation_failed', { obfuscator_errors: outcome.errors })
}

/** Fails if the project can't accept the webhook URLs that the script sends to. */
export async function storeVersion(
  tx: Queries,
  deps: Deps,
  { row, messages, serverCode, lineMap }: BuiltVersion,
  { projectId, version }: { readonly projectId: string; readonly version: number },
): Promise<undefined | Refused<'obfuscation_failed'>> {
  const { script_id: scriptId } = row
  const sealed = await storeMessages(tx, deps, { projectId, scriptId }, messages)
  if (sealed instanceof Refused) return sealed
  await insertScriptVersion(tx, { ...row, messages: sealed, version })
  await storeServerCode(tx, deps, { scriptId, version }, serverCode)
  await insertLineMap(tx, { script_id: scriptId, version, map: lineMap })
  return undefined
}

/** Returns the test that a version passed, or null if the version has none. */
export function openTest({ secrets }: Deps, scriptId: string, sealed: Uint8Array | null): string | null {
  return sealed && secrets.openText('test', scriptId, sealed)
}

function checkOrder(
  { config }: Deps,
  { source, files, test, options }: BuildOrder,
): ObfuscateOptions | Refused<'invalid_request' | 'too_large'> {
  if (sizeOf(source, files) > config.scriptLimit) return refuse('too_large', { limit: config.scriptLimit })
  const unfit = checkFiles(source, files)
  if (unfit) return unfit
  const checked = checkOptions(options)
  if (checked instanceof Refused || test === null) return checked
  const { target = 'any' } = checked
  if (target === 'any' || target === 'luau') return checked
  return refuseMember('test_script', `runs in Luau, so target must be 'any' or 'luau', not '${target}'`)
}

async function limitProofs(
  { limits, now }: Deps,
  customer: CustomerRow,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await limits.attempts.takeAttempt('proof', customer.id, now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

/**
 * In the report, replaces the list of host functions that the script uses with those that its customers'
 * executors lack.
 */
async function reportOf(
  deps: Deps,
  { scriptId }: BuildOrder,
  { hostUses, ...report }: Report,
): Promise<StoredReport> {
  const missing = await findMissingFunctions(deps, scriptId, hostUses)
  const warnings = [...report.warnings, ...missing.map(wordMissing)]
  return { ...report, warnings, missing_functions: missing }
}

function versionOf(deps: Deps, order: BuildOrder, build: Build): BuiltVersion {
  return {
    row: rowOf(deps, order, build),
    messages: build.messages,
    serverCode: build.serverCode,
    lineMap: deps.secrets.seal('lineMap', order.scriptId, build.lineTable),
  }
}

function rowOf(
  deps: Deps,
  { scriptId, source, files, options, test, notes }: BuildOrder,
  build: Build,
): BuiltVersion['row'] {
  const { secrets } = deps
  return {
    script_id: scriptId,
    preset: build.report.preset,
    created_at: deps.now(),
    source: secrets.seal('source', scriptId, source),
    files: sealFiles(deps, scriptId, files),
    source_bytes: sizeOf(source, files),
    payload: build.payload,
    payload_size: build.size,
    slots: writeSlots(build.slots, build.orders, build.numbers),
    locks: writeLocks(build.locks),
    data: build.split?.data ?? null,
    data_size: build.split?.size ?? null,
    data_at: build.split?.at ?? null,
    interpreter: build.split?.interpreter ?? null,
    options: JSON.stringify(options),
    test_script: test === null ? null : secrets.seal('test', scriptId, test),
    service_key: build.locks.length === 0 ? null : secrets.seal('serviceKey', scriptId, build.serviceKey),
    report: JSON.stringify(build.report),
    duration_ms: build.durationMs,
    notes: notes.notes,
    notes_public: notes.isPublic ? 1 : 0,
    author: deps.author?.name ?? null,
  }
}
