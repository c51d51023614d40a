/** Runs the source and the protected script in Luau, and compares their output and run time. */
import { type Ended, type Line, runIn } from '../features/scripts/run/run.ts'

/** Time limit of a run, in seconds. */
export const RUN_LIMIT = 10
/**
 * Number of runs per script. Only the fastest run counts, because other load on the machine slows down the
 * others.
 */
const ROUNDS = 3
/** Scripts that take longer than this, in milliseconds, run only once. */
const SLOW = 1500

export type Run = { readonly lines: readonly Line[]; readonly ended: Ended }

export type Compared = {
  readonly source: Run
  readonly output: Run
  /** The run times of the fastest runs in milliseconds; null if one of the two scripts did not finish. */
  readonly times: { readonly source: number; readonly output: number } | null
  /** Whether the source itself printed something different in another run. */
  readonly isUnsteady: boolean
}

export async function runOnce(text: string, signal: AbortSignal): Promise<Run> {
  const worker = new Worker(new URL('./luau-worker.ts', import.meta.url), { type: 'module' })
  const lines: Line[] = []
  const ended = await runIn(
    worker,
    { text },
    { signal, limit: RUN_LIMIT, onLine: (line) => lines.push(line) },
  )
  return { lines, ended }
}

export async function compareRuns(source: string, output: string, signal: AbortSignal): Promise<Compared> {
  const first = [await runOnce(source, signal), await runOnce(output, signal)] as const
  const rounds = [first]
  const isQuick = first.every(({ ended }) => ended.how === 'done' && ended.ms < SLOW)
  while (isQuick && rounds.length < ROUNDS && !signal.aborted)
    rounds.push([await runOnce(source, signal), await runOnce(output, signal)])
  const [sources, outputs] = [rounds.map(([each]) => each), rounds.map(([, each]) => each)]
  const [a, b] = [fastest(sources), fastest(outputs)]
  return {
    source: first[0],
    output: first[1],
    times: a === null || b === null ? null : { source: a, output: b },
    isUnsteady: sources.some(({ lines }) => differenceOf(lines, first[0].lines) !== null),
  }
}

function fastest(runs: readonly Run[]): number | null {
  const times = runs.flatMap(({ ended }) => (ended.how === 'done' ? [ended.ms] : []))
  return times.length === 0 ? null : Math.min(...times)
}

/** Number of the first line that differs, starting at 1; null if all lines are equal. */
export function differenceOf(one: readonly Line[], other: readonly Line[]): number | null {
  const length = Math.max(one.length, other.length)
  for (let i = 0; i < length; i++) {
    if (one[i]?.text !== other[i]?.text || one[i]?.kind !== other[i]?.kind) return i + 1
  }
  return null
}
