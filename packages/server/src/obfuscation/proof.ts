/**
 * Proof before publishing: the author's test runs with the source and with the build, each in its own Luau, and what the
 * two print is compared.
 */
import { Worker } from 'node:worker_threads'
import type { Complaint } from './build.ts'
import type { TestRun } from './proof-thread.ts'

export type Proof = {
  readonly source: string
  readonly build: string
  readonly test: string
  /** Pads that open the locks of the build, by number. */
  readonly pads: readonly Uint8Array[]
}

/** What a run printed, which is deterministic; `error` says why it did not finish. */
type TestOutcome = { readonly lines: readonly string[]; readonly error: string | null }

const THREAD = new URL('./proof-thread.ts', import.meta.url)
const SOURCE_MS = 5_000
/** A build is slower than its source, by design. */
const BUILD_MS = 30_000
const MEMORY_MB = 256
const MAX_COMPLAINTS = 20
const MAX_LINE_CHARACTERS = 120

/** Returns the differences; none when the build does what the source does. */
export async function prove({ source, build, test, pads }: Proof, signal: AbortSignal): Promise<Complaint[]> {
  const wanted = await runTest({ code: source, isBuild: false, test, pads: [] }, SOURCE_MS, signal)
  if (wanted.error !== null) {
    return [complain(`the test does not come to its end with the script as it was uploaded: ${wanted.error}`)]
  }
  const found = await runTest({ code: build, isBuild: true, test, pads }, BUILD_MS, signal)
  return differences(wanted, found)
}

function differences(wanted: TestOutcome, found: TestOutcome): Complaint[] {
  const complaints: Complaint[] = []
  const count = Math.max(wanted.lines.length, found.lines.length)
  for (let i = 0; i < count && complaints.length < MAX_COMPLAINTS; i++) {
    const [before, after] = [wanted.lines[i], found.lines[i]]
    // Lines after the error are missing because of it.
    if (before === after || (after === undefined && found.error !== null)) continue
    complaints.push(
      complain(
        `line ${i + 1} of what the test prints: the script as it was uploaded prints ${show(before)}, the protected script ${show(after)}`,
      ),
    )
  }
  if (found.error !== null) {
    complaints.push(complain(`the test does not come to its end with the protected script: ${found.error}`))
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

/** Runs a test in a worker thread, which is ended afterwards, at its time limit and at its memory limit. */
async function runTest(task: TestRun, limitMs: number, signal: AbortSignal): Promise<TestOutcome> {
  const worker = new Worker(THREAD, {
    workerData: task,
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 16 },
  })
  try {
    return await outcomeOf(worker, limitMs, signal)
  } finally {
    await worker.terminate()
  }
}

function outcomeOf(worker: Worker, limitMs: number, signal: AbortSignal): Promise<TestOutcome> {
  return new Promise((resolve) => {
    const fail = (error: string) => resolve({ lines: [], error })
    const timer = setTimeout(() => fail(`it took longer than ${limitMs / 1000} seconds`), limitMs)
    signal.addEventListener('abort', () => fail('the service is stopping'), { once: true })
    worker.once('message', (outcome: TestOutcome) => resolve(outcome))
    // Luau that has used up its memory ends the thread in one of several ways.
    worker.once('error', () => fail('it needed more memory than the 16 MiB of the test'))
    worker.once('exit', () => {
      clearTimeout(timer)
      fail('it ended the Luau that it ran in')
    })
  })
}
