/**
 * Everything that must hold, in one command: system packages, style, types, house rules, generated pages, tests.
 * Words after it go to the test runner and skip the rest: `npm test -- packages/client`.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT, run, runChecks } from './run.ts'
import { installSystemPackages } from './system-packages.ts'

const REPORT = path.join(ROOT, '.tsbuild', 'tests.json')

const only = process.argv.slice(2)
installSystemPackages()
if (only.length === 0) runChecks()
const failed = run('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${REPORT}`,
  ...only,
])
process.stdout.write(`${countTests(REPORT)}\n`)
process.exit(failed)

function countTests(file: string): string {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
  const { numPassedTests: passed, numFailedTests: broken, numPendingTests: skipped } = report
  return `tests: ${passed} passed, ${broken} failed, ${skipped} skipped`
}
