/**
 * Everything that must hold, in one command: system packages, style, types, house rules, generated pages, tests, and
 * whether the tests met every refusal and every function of the store. Words after it go to the test runner and skip
 * the rest: `npm test -- packages/client`.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { clearRecord, neverMet } from './check-record.ts'
import { CRASHED_FILES, type Crashes } from './crash-reporter.ts'
import { type Counts, retryCrashed, summaryOf, type TestRun } from './retry-crashed.ts'
import { ROOT, run, runChecks } from './run.ts'
import { installSystemPackages } from './system-packages.ts'

type Report = {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

const REPORT = path.join(ROOT, '.tsbuild', 'tests.json')

const only = process.argv.slice(2)
const isWhole = only.length === 0
installSystemPackages()
if (isWhole) {
  runChecks()
  clearRecord()
  process.env.SCRIPTWARD_RECORD = '1'
}
const first = test(only)
// At a terminal you see which file crashed and decide yourself.
const whole = process.env.CI ? retryCrashed(first, testAgain) : { ...first, retried: [] }
process.stdout.write(`${summaryOf(whole)}\n`)
const { code } = whole
const gaps = isWhole && code === 0 ? neverMet() : []
for (const gap of gaps) process.stderr.write(`${gap}\n`)
process.exit(gaps.length > 0 ? 1 : code)

function test(words: readonly string[]): TestRun {
  const reporters = ['default', 'json', path.join(ROOT, 'scripts', 'crash-reporter.ts')]
  const code = run('vitest', [
    'run',
    ...reporters.map((name) => `--reporter=${name}`),
    `--outputFile.json=${REPORT}`,
    ...words,
  ])
  const crashes = JSON.parse(readFileSync(CRASHED_FILES, 'utf8')) as Crashes
  return { code, counts: countTests(crashes.files), crashes }
}

function testAgain(files: readonly string[]): TestRun {
  process.stdout.write(`these files run once more, because their process crashed: ${files.join(', ')}\n`)
  return test(files)
}

/** Crashed files have no results. */
function countTests(crashed: readonly string[]): Counts {
  const { testResults } = JSON.parse(readFileSync(REPORT, 'utf8')) as Report
  const whole = testResults.filter(({ name }) => !crashed.includes(path.relative(ROOT, name)))
  const states = whole.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const count = (wanted: string) => states.filter((status) => status === wanted).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}
