/** A test file whose process crashed is named, and runs once more. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Crashes } from './crash-reporter.ts'
import { retryCrashed, summaryOf, type TestRun } from './retry-crashed.ts'
import { ROOT } from './run.ts'

const RUNNER = path.join(ROOT, 'node_modules', '.bin', 'vitest')
const REPORTER = path.join(ROOT, 'scripts', 'crash-reporter.ts')
const BODIES = {
  passes: 'expect(1).toBe(1)',
  fails: 'expect(1).toBe(2)',
  crashes: `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})`,
}

/** What the reporter says of a run of these files, whose names are without their folder. */
function crashesOf(...names: (keyof typeof BODIES)[]): Crashes {
  const builds = path.join(ROOT, '.tsbuild')
  mkdirSync(builds, { recursive: true })
  const folder = mkdtempSync(path.join(builds, 'crashes-'))
  try {
    const file = path.join(folder, 'crashes.json')
    const test = { pool: 'forks', reporters: [[REPORTER, { file }]] }
    writeFileSync(path.join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify({ test })}`)
    for (const name of names) writeFileSync(path.join(folder, `${name}.test.mjs`), testOf(name))
    spawnSync(RUNNER, ['run', '--root', folder], { cwd: folder })
    const { files, others } = JSON.parse(readFileSync(file, 'utf8')) as Crashes
    return { files: files.map((one) => path.basename(one)), others }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function testOf(name: keyof typeof BODIES): string {
  return `import { expect, it } from 'vitest'\nit('${name}', async () => { ${BODIES[name]} })`
}

describe('the reporter of crashes', () => {
  it('names the files whose process crashed, and counts those that failed by themselves', () => {
    expect(crashesOf('passes', 'crashes', 'fails')).toEqual({ files: ['crashes.test.mjs'], others: 1 })
  })

  it('names no file that passed', () => {
    expect(crashesOf('passes')).toEqual({ files: [], others: 0 })
  })
})

describe('a second run', () => {
  const ended = (code: number, files: string[], others = 0): TestRun => ({
    code,
    counts: { passed: 1, failed: code, skipped: 2 },
    crashes: { files, others },
  })
  const retried = (first: TestRun, second: TestRun) => {
    const asked: (readonly string[])[] = []
    const outcome = retryCrashed(first, (files) => {
      asked.push(files)
      return second
    })
    return { asked, outcome }
  }

  it('runs the crashed files alone, and both runs are counted', () => {
    const { asked, outcome } = retried(ended(1, ['a']), ended(0, []))
    expect(asked).toEqual([['a']])
    expect(outcome).toMatchObject({ code: 0, counts: { passed: 2, failed: 1, skipped: 4 } })
  })

  it('is named and counted in the last lines of the run', () => {
    const { outcome } = retried(ended(1, ['a', 'b']), ended(0, []))
    expect(summaryOf(outcome)).toBe(
      'tests: 2 passed, 1 failed, 4 skipped\n2 test files crashed and ran again: a, b',
    )
    expect(summaryOf({ ...outcome, retried: [] })).toBe('tests: 2 passed, 1 failed, 4 skipped')
  })

  it('is left out where nothing crashed', () => {
    expect(retried(ended(1, [], 1), ended(0, []))).toMatchObject({ asked: [], outcome: { code: 1 } })
  })

  it.each([
    ['another file failed by itself', ended(1, ['a'], 1), ended(0, [])],
    ['the file crashes again', ended(1, ['a']), ended(0, ['a'])],
    ['its tests fail', ended(1, ['a']), ended(1, [])],
  ])('leaves the whole run failed where %s', (_, first, second) => {
    expect(retried(first, second).outcome.code).toBe(1)
  })
})
