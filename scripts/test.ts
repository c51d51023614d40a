/**
 * Everything that must hold, in one command: system packages, style, types, house rules, generated pages, tests.
 * Words after it go to the test runner and skip the rest: `npm test -- packages/client`.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DEATHS, type Deaths } from './died-reporter.ts'
import { ROOT, run, runChecks } from './run.ts'
import { type Counts, secondChance, type Tested } from './second-chance.ts'
import { installSystemPackages } from './system-packages.ts'

type Report = {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

const REPORT = path.join(ROOT, '.tsbuild', 'tests.json')

const only = process.argv.slice(2)
installSystemPackages()
if (only.length === 0) runChecks()
const first = test(only)
// Where somebody watches, he is told of a file that died, and decides.
const { code, counts } = process.env.CI ? secondChance(first, testAgain) : first
process.stdout.write(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
process.exit(code)

function test(words: readonly string[]): Tested {
  const reporters = ['default', 'json', path.join(ROOT, 'scripts', 'died-reporter.ts')]
  const code = run('vitest', [
    'run',
    ...reporters.map((name) => `--reporter=${name}`),
    `--outputFile.json=${REPORT}`,
    ...words,
  ])
  const deaths = JSON.parse(readFileSync(DEATHS, 'utf8')) as Deaths
  return { code, counts: countTests(deaths.files), deaths }
}

function testAgain(files: readonly string[]): Tested {
  process.stdout.write(`the process died, so they run once more: ${files.join(', ')}\n`)
  return test(files)
}

/** What is known of all files but those that died. */
function countTests(died: readonly string[]): Counts {
  const { testResults } = JSON.parse(readFileSync(REPORT, 'utf8')) as Report
  const whole = testResults.filter(({ name }) => !died.includes(path.relative(ROOT, name)))
  const states = whole.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const count = (wanted: string) => states.filter((status) => status === wanted).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}
