/** Setup for tests of error reports: stores reports as heartbeats do, and runs the job that groups them. */
import type { ErrorReport } from '@scriptward/client/live-messages'
import { readLineTable } from '../src/features/builds/line-table.ts'
import { type ErrorRun, recordErrors } from '../src/features/errors/intake.ts'
import { processReports } from '../src/features/errors/process-reports.ts'
import type { Client, TestServer } from './harness.ts'
import { rowOf } from './stored.ts'

type Answered = Readonly<Record<string, unknown>>

/** Stores reports from a run; `run` sets the fields that matter to the test. */
export async function reportErrors(
  { deps }: TestServer,
  run: Pick<ErrorRun, 'project_id' | 'script_id'> & Partial<ErrorRun>,
  ...reports: readonly Partial<ErrorReport>[]
): Promise<void> {
  const whole = {
    script_version: 1,
    exec: 'run-1',
    user_key: null,
    executor: 'Garden',
    runtime: 'luau',
    granted_at: deps.now(),
    device: null,
    ...run,
  }
  const full = reports.map((report) => ({ kind: 'crash', text: 'no rake', at: [], n: 1, ...report }) as const)
  await deps.db.transaction((tx) => recordErrors(tx, deps, whole, full))
}

/** Groups all reports received so far. */
export async function groupAll({ deps }: TestServer): Promise<void> {
  const worker = processReports(deps)
  while (await worker.run(new AbortController().signal));
}

export async function listErrors(client: Client, script: string, query = ''): Promise<Answered[]> {
  return (await client.get(`/v1/scripts/${script}/errors${query}`)).body.errors as Answered[]
}

/** Returns the lines of a protected version that were generated from a line of its source. */
export async function protectedLines(
  server: TestServer,
  script_id: string,
  { version = 1, line }: { readonly version?: number; readonly line: number },
): Promise<number[]> {
  const { map } = await rowOf(server, 'line_maps', { script_id, version })
  const { lines } = readLineTable(server.deps.secrets.open('lineMap', script_id, map))
  return lines.flatMap((each, i) => (each === line ? [i + 1] : []))
}
