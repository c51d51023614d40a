/**
 * Tests typical bugs in authors' scripts, in real interpreters: each is reported as one error with its line,
 * and no report contains private data.
 */
import { describe, expect, test } from 'vitest'
import { effort } from '../packages/client/test/effort.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { groupAll, listErrors } from '../packages/server/test/errors.ts'
import { type Job, liveScene, until } from './live-scene.ts'
import { ARGUMENT, BUGGY, BUGS, type Bug, PATHS } from './seeded-bugs.ts'

const HOSTS = ['lua5.1', 'luajit', 'lua5.4', 'luau']
const PRESETS = ['light', 'balanced', 'strong', 'max']
/**
 * Except in nightly runs, each bug runs on one host with one preset. Together, the bugs cover all hosts and
 * presets.
 */
const COMBINATIONS = HOSTS.flatMap((command) => PRESETS.map((preset) => ({ command, preset })))
const CHOSEN = BUGS.flatMap((bug, i) =>
  effort({
    day: [{ bug, ...COMBINATIONS[(i * 5) % COMBINATIONS.length] } as Chosen],
    night: COMBINATIONS.map((one) => ({ bug, ...one })),
  }),
)
const AT_ONCE = 3
const PATIENCE_MS = effort({ day: 300_000, night: 3_600_000 })

type Chosen = { readonly bug: Bug; readonly command: string; readonly preset: string }

describe('a script with 25 bugs', () => {
  const { at, newJob } = liveScene(sqlite)

  const samplesOf = ({ scriptId }: Job) =>
    at()
      .deps.db.read.selectFrom('error_reports')
      .selectAll()
      .where('script_id', '=', scriptId)
      .orderBy('seq')
      .execute()

  async function meet(job: Job, { bug, command }: Chosen): Promise<void> {
    const key = await job.newKey({ note: `${bug.name} for order 4711` })
    const stop = new AbortController()
    const running = job.run({ command, key, signal: stop.signal })
    const isReported = async () => (await samplesOf(job)).some(({ user_key }) => user_key === key)
    await until(`the report of ${bug.name} on ${command}`, async () => (await isReported()) || undefined)
    // Hosts with threads keep running until they are stopped.
    stop.abort()
    await running.catch(() => undefined)
  }

  test(
    'becomes 25 errors with the lines and functions of their author, and no report is private',
    async () => {
      expect(BUGS).toHaveLength(25)
      const job = await newJob('print(1)')
      for (const preset of PRESETS) {
        const chosen = CHOSEN.filter((one) => one.preset === preset)
        await job.change('update', { script: BUGGY, options: { preset } })
        const meetAll = async () => {
          for (let next = chosen.shift(); next; next = chosen.shift()) await meet(job, next)
        }
        await Promise.all(Array.from({ length: AT_ONCE }, meetAll))
      }
      const reports = await samplesOf(job)
      expect(reports).toHaveLength(CHOSEN.length)
      for (const { text, tags, user_key } of reports) expectNothingPrivate(text + tags, user_key)
      await groupAll(at())
      const groups = await listErrors(job.owner, job.scriptId)
      const found = groups.map(({ place, runs }) => ({ ...(place as Bug), runs }))
      const wanted = BUGS.map(({ line, function: name }) => ({
        line,
        function: name,
        runs: CHOSEN.length / 25,
      }))
      const byLine = (a: { line: number }, b: { line: number }) => a.line - b.line
      expect(found.toSorted(byLine)).toMatchObject(wanted)
    },
    PATIENCE_MS,
  )
})

function expectNothingPrivate(sent: string, key: string | null): void {
  for (const path of PATHS) expect(sent).not.toContain(path)
  for (const part of [ARGUMENT, 'ada', 'rake.txt', 'order 4711']) expect(sent).not.toContain(part)
  expect(key).not.toBeNull()
  for (let i = 0; i + 8 <= (key ?? '').length; i++) expect(sent).not.toContain((key ?? '').slice(i, i + 8))
}
