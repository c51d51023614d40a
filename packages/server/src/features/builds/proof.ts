/**
 * The smoke test before publishing. Runs the author's test with the source and with the build, each in its
 * own process, and compares the outputs.
 */
import type { ServerCode, ServerTable } from '@scriptward/obfuscator'
import type { Complaint, FailedBuild } from './build.ts'
import { type JobLimits, type JobOutcome, JobProcess } from './job-process.ts'
import { luauOfMarked, markedOf } from './marked-values.ts'
import type { Seen, TestRun } from './proof-run.ts'

export type Proof = {
  /** The source after the obfuscator's `expand`. */
  readonly source: string
  readonly build: string
  readonly test: string
  /** Key streams that decrypt the build's locks, by number. */
  readonly pads: readonly Uint8Array[]
  readonly serverCode: readonly ServerCode[]
  /**
   * The source in which functions that could move to the server report their calls. Null if there are none.
   */
  readonly watched: string | null
}

/** The deterministic output of a run. `error` explains why the run did not finish. */
type TestOutcome = {
  readonly lines: readonly string[]
  readonly error: string | null
  readonly seen: readonly Seen[]
  /** The run exceeded its time or memory limit. */
  readonly isExhausted?: boolean
}

const RUN = new URL('./proof-run.ts', import.meta.url)
const SOURCE_MS = 5_000
/**
 * Time limit for the build. It is longer than the limit for the source, because builds are slower by design.
 */
const BUILD_MS = 30_000
const MEMORY_MB = 256
const STACK_MB = 4
const MAX_COMPLAINTS = 20
const MAX_LINE_CHARACTERS = 120

/**
 * Writes a Luau chunk that returns the moved code as a list by number: constructors of functions, and tables.
 */
function writeServerCode(serverCode: readonly ServerCode[]): string {
  const values = serverCode.map((one) =>
    one.kind === 'function' ? `function(...) ${one.source}\nend` : tableText(one),
  )
  return `return {${values.join(',')}}`
}

function tableText({ entries }: ServerTable): string {
  const items = entries.map(
    ([key, value]) => `[${luauOfMarked(markedOf(key))}]=${luauOfMarked(markedOf(value))}`,
  )
  return `{${items.join(',')}}`
}

/**
 * Returns the differences. If there are none, returns the calls to functions that could move to the server.
 * `onFault` is called when a run crashes.
 */
export async function prove(
  { source, build, test, pads, serverCode, watched }: Proof,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<FailedBuild | { readonly seen: readonly Seen[] }> {
  const moved = serverCode.length > 0 ? writeServerCode(serverCode) : ''
  const run = async (code: string, isBuild: boolean) => {
    const deadlineMs = isBuild ? BUILD_MS : SOURCE_MS
    const task = { code, test, moved, pads: isBuild ? pads : [], isWatched: code === watched }
    const outcome = await runTest(task, { deadlineMs, signal })
    if ('error' in outcome) onFault(outcome.error)
    return readOutcome(outcome, deadlineMs)
  }
  const wanted = await run(source, false)
  if (wanted.error !== null) {
    const message = `the test fails with the original script: ${wanted.error}`
    return { errors: [complain(message)], isExhausted: wanted.isExhausted === true }
  }
  const found = await run(build, true)
  const errors = differences(wanted, found)
  if (errors.length > 0) return { errors, isExhausted: found.isExhausted === true }
  const calls = watched === null ? null : await run(watched, false)
  return { seen: calls === null || calls.error !== null ? [] : calls.seen }
}

function differences(wanted: TestOutcome, found: TestOutcome): Complaint[] {
  const complaints: Complaint[] = []
  const count = Math.max(wanted.lines.length, found.lines.length)
  for (let i = 0; i < count && complaints.length < MAX_COMPLAINTS; i++) {
    const [before, after] = [wanted.lines[i], found.lines[i]]
    // Later lines are missing because of the error.
    if (before === after || (after === undefined && found.error !== null)) continue
    complaints.push(
      complain(
        `line ${i + 1} of the test output differs: the original script prints ${show(before)}, the protected script prints ${show(after)}`,
      ),
    )
  }
  if (found.error !== null) {
    complaints.push(complain(`the test fails with the protected script: ${found.error}`))
  }
  return complaints
}

function show(line: string | undefined): string {
  if (line === undefined) return 'nothing'
  return JSON.stringify(line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line)
}

function complain(message: string): Complaint {
  return { param: 'test_script', message }
}

async function runTest(task: TestRun, limits: JobLimits): Promise<JobOutcome<TestOutcome>> {
  const process = new JobProcess<TestRun, TestOutcome>({
    job: RUN.href,
    memoryMb: MEMORY_MB,
    stackMb: STACK_MB,
  })
  try {
    return await process.run(task, limits)
  } finally {
    await process.end()
  }
}

function readOutcome(outcome: JobOutcome<TestOutcome>, limitMs: number): TestOutcome {
  if ('done' in outcome) return outcome.done
  switch (outcome.failed) {
    case 'deadline':
      return { ...fail(`it took longer than ${limitMs / 1000} seconds`), isExhausted: true }
    // When Luau runs out of memory, it fails in one of these ways.
    case 'memory':
    case 'error':
      return { ...fail('it needed more than the 16 MiB of memory available to a test'), isExhausted: true }
    case 'stopped':
      return fail('the server is shutting down')
    case 'ended':
      return fail('it terminated the Luau runtime it was running in')
    case 'crash':
      return fail('the Luau runtime crashed; try again')
  }
}

function fail(error: string): TestOutcome {
  return { lines: [], seen: [], error }
}
