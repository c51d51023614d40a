/**
 * Decides which version of a script a customer gets, based on the `scripts.staging` column. An execution
 * reads this column with the script, so channels and releases cost no extra query. All functions are pure.
 */
import { hash } from 'node:crypto'

/** The channel of keys that are not in any other channel. */
export const STABLE = 'stable'

type StagedChannel = {
  readonly name: string
  readonly version: number
  readonly tags: readonly string[]
  readonly plans: readonly string[]
}

/** A running or paused release. */
export type StagedRelease = {
  readonly id: string
  readonly channel: string
  readonly version: number
  readonly before: number
  readonly percent: number
  readonly salt: string
  readonly since: number
}

export type Staging = {
  readonly channels: readonly StagedChannel[]
  readonly releases: readonly StagedRelease[]
}

const NOTHING: Staging = { channels: [], releases: [] }

/** The customer who requests a script: a key with its tags (JSON) and plan, or a guest. */
export type StagedCustomer = {
  /** A license key, or the ID of a guest's device. */
  readonly customer: string
  readonly tags: string | null
  readonly plan_id: string | null
}

type StagedScript = { readonly id: string; readonly version: number; readonly staging: string | null }

/** @param json the `scripts.staging` column */
export function readStaging(json: string | null): Staging {
  return json === null ? NOTHING : (JSON.parse(json) as Staging)
}

/** Returns null if there are neither channels nor open releases. */
export function writeStaging(staging: Staging): string | null {
  return staging.channels.length + staging.releases.length === 0 ? null : JSON.stringify(staging)
}

export function versionFor(script: StagedScript, customer: StagedCustomer): number {
  if (script.staging === null) return script.version
  const { channels, releases } = readStaging(script.staging)
  const channel = channelOf(channels, customer)
  const release = releases.find((one) => one.channel === (channel?.name ?? STABLE))
  const version = channel?.version ?? script.version
  if (release === undefined || release.percent >= 100) return version
  return isIncluded(release, script.id, customer.customer) ? release.version : version
}

/**
 * Returns whether a customer is in the share that gets the released version. Each share includes all
 * customers of smaller shares, so no customer switches back while the share grows.
 */
function isIncluded(
  { salt, percent }: Pick<StagedRelease, 'salt' | 'percent'>,
  scriptId: string,
  customer: string,
): boolean {
  const digest = hash('sha256', [salt, scriptId, customer].join('\n'), 'buffer')
  return digest.readUInt32BE(0) < (percent / 100) * 2 ** 32
}

/** Lists the versions that customers currently get, with duplicates. */
export function servedVersions({
  version,
  staging,
}: Pick<StagedScript, 'version' | 'staging'>): readonly number[] {
  const { channels, releases } = readStaging(staging)
  return [
    version,
    ...channels.map((one) => one.version),
    ...releases.flatMap((one) => [one.version, one.before]),
  ]
}

/**
 * Returns whether some customers get this version through a channel or release, in addition to the customers
 * who get the version in `scripts.version`.
 */
export function isStaged(json: string | null, version: number): boolean {
  if (json === null) return false
  const { channels, releases } = readStaging(json)
  return (
    channels.some((one) => one.version === version) ||
    releases.some((one) => one.percent < 100 && (one.version === version || one.before === version))
  )
}

/** A key with the `channel:beta` tag is in the `beta` channel, regardless of its other tags and its plan. */
const OWN_CHANNEL = 'channel:'

export function channelFor(
  { channels }: Staging,
  customer: Pick<StagedCustomer, 'tags' | 'plan_id'>,
): string {
  return channelOf(channels, customer)?.name ?? STABLE
}

/** Tags take precedence over plans. */
function channelOf(
  channels: readonly StagedChannel[],
  { tags, plan_id }: Pick<StagedCustomer, 'tags' | 'plan_id'>,
): StagedChannel | undefined {
  const own = tags === null ? [] : (JSON.parse(tags) as readonly string[])
  const named = channels.find(({ name }) => own.includes(OWN_CHANNEL + name))
  if (named !== undefined || own.includes(OWN_CHANNEL + STABLE)) return named
  return (
    channels.find((one) => one.tags.some((tag) => own.includes(tag))) ??
    channels.find((one) => plan_id !== null && one.plans.includes(plan_id))
  )
}
