/** Compares two versions of a script: their files, line by line, and their build options. */
import { refuseUndone } from '../../api/offloaded.ts'
import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import type { FileChange } from './diff-sources.ts'
import type { OptionValues } from './options.ts'
import { type describeVersion, findVersion, readSource } from './versions.ts'

export type Compared = {
  readonly version: number
  /** The other version, or null for the previous one. */
  readonly base: number | null
  /** Aborted if the client disconnects. */
  readonly closed?: AbortSignal | undefined
}

type VersionShape = ReturnType<typeof describeVersion>
type OptionValue = OptionValues[string]

/** `from` is the base. An option is null if the author didn't set it. */
export type Comparison = {
  readonly from: VersionShape
  readonly to: VersionShape
  readonly options: { id: string; from: OptionValue | null; to: OptionValue | null }[]
  readonly files: FileChange[]
  readonly truncated: boolean
}

type CompareRefused = Refused<'invalid_request' | 'not_found' | 'rate_limited' | 'internal' | 'unavailable'>

const DIFF_MS = 20_000
const NO_BASE = 'must be set, because version 1 has no earlier version'
const TOO_SLOW =
  'is a version that takes too long to compare. Download both sources and compare them yourself'

export async function compareVersions(
  deps: Deps,
  { customer, script }: Pick<ScriptSubject, 'customer' | 'script'>,
  { version, base, closed }: Compared,
): Promise<Comparison | CompareRefused> {
  const other = base ?? version - 1
  if (other < 1) return refuseMember('with', NO_BASE)
  const [to, from] = [await findVersion(deps, script, version), await findVersion(deps, script, other)]
  if (to instanceof Refused) return to
  if (from instanceof Refused) return from
  const [before, after] = [await readSource(deps, script, other), await readSource(deps, script, version)]
  if (before instanceof Refused) return before
  if (after instanceof Refused) return after
  const limits = { deadlineMs: DIFF_MS, signal: closed }
  const found = await deps.offload.run(customer.id, 'diffSources', { before, after }, limits)
  if (!('done' in found)) return refuseUndone(found, 'with', TOO_SLOW)
  return { from, to, options: differingOptions(from.options, to.options), ...found.done }
}

function differingOptions(from: OptionValues, to: OptionValues): Comparison['options'] {
  const ids = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...ids]
    .filter((id) => from[id] !== to[id])
    .sort()
    .map((id) => ({ id, from: from[id] ?? null, to: to[id] ?? null }))
}
