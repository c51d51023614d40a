/**
 * Installs system packages, runs the checks and the tests, and verifies that the tests caused every declared
 * error. Arguments are passed to the test runner and skip the rest: `npm test -- packages/client`.
 * `--nightly` runs the long versions on both engines and every target, and verifies that each function of the
 * store was executed.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { clearRecord, neverCaused } from './check-record.ts'
import { passesChecks, ROOT, run } from './run.ts'
import { installSystemPackages } from './system-packages.ts'

type Report = {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

const REPORT = path.join(ROOT, '.tsbuild', 'tests.json')

const isNightly = process.argv[2] === '--nightly'
const only = process.argv.slice(isNightly ? 3 : 2)
const isWhole = only.length === 0
if (isNightly) process.env.SCRIPTWARD_NIGHTLY = '1'
// The checks do not need the system packages, so the checks and the installation run in parallel.
const [isRight] = await Promise.all([isWhole ? passesChecks() : true, installSystemPackages()])
if (!isRight) process.exit(1)
if (isWhole) {
  clearRecord()
  process.env.SCRIPTWARD_RECORD = '1'
}
rmSync(REPORT, { force: true })
const code = test(isNightly && isWhole ? ['--coverage'] : only)
process.stdout.write(`${summary()}\n`)
// Also runs after a failure, so that one run shows everything that has to be fixed.
const gaps = isWhole ? neverCaused() : []
for (const gap of gaps) process.stderr.write(`${gap}\n`)
process.exit(gaps.length > 0 ? code || 1 : code)

function test(words: readonly string[]): number {
  const reporters = ['default', 'json'].map((name) => `--reporter=${name}`)
  return run('vitest', ['run', ...reporters, `--outputFile.json=${REPORT}`, ...words])
}

/**
 * A test file whose process crashed fails the run without any results here. An interrupted run leaves no
 * report.
 */
function summary(): string {
  if (!existsSync(REPORT)) return 'Tests: the run ended before it wrote a report'
  const { testResults } = JSON.parse(readFileSync(REPORT, 'utf8')) as Report
  const states = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const count = (wanted: string) => states.filter((status) => status === wanted).length
  return `Tests: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
}
