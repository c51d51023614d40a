/** That a test file whose process died is known, and runs once more. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Deaths } from './died-reporter.ts'
import { ROOT } from './run.ts'
import { secondChance, type Tested } from './second-chance.ts'

const RUNNER = path.join(ROOT, 'node_modules', '.bin', 'vitest')
const REPORTER = path.join(ROOT, 'scripts', 'died-reporter.ts')
const BODIES = {
  passes: 'expect(1).toBe(1)',
  fails: 'expect(1).toBe(2)',
  dies: `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})`,
}

/** What the reporter says of a run of these files, whose names are without their folder. */
function deathsOf(...names: (keyof typeof BODIES)[]): Deaths {
  const builds = path.join(ROOT, '.tsbuild')
  mkdirSync(builds, { recursive: true })
  const folder = mkdtempSync(path.join(builds, 'deaths-'))
  try {
    const file = path.join(folder, 'deaths.json')
    const test = { pool: 'forks', reporters: [[REPORTER, { file }]] }
    writeFileSync(path.join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify({ test })}`)
    for (const name of names) writeFileSync(path.join(folder, `${name}.test.mjs`), testOf(name))
    spawnSync(RUNNER, ['run', '--root', folder], { cwd: folder })
    const { files, others } = JSON.parse(readFileSync(file, 'utf8')) as Deaths
    return { files: files.map((one) => path.basename(one)), others }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function testOf(name: keyof typeof BODIES): string {
  return `import { expect, it } from 'vitest'\nit('${name}', async () => { ${BODIES[name]} })`
}

describe('the reporter of deaths', () => {
  it('names the files whose process died, and counts those that failed by themselves', () => {
    expect(deathsOf('passes', 'dies', 'fails')).toEqual({ files: ['dies.test.mjs'], others: 1 })
  })

  it('has nothing to say of files that passed', () => {
    expect(deathsOf('passes')).toEqual({ files: [], others: 0 })
  })
})

describe('a second chance', () => {
  const ended = (code: number, files: string[], others = 0): Tested => ({
    code,
    counts: { passed: 1, failed: code, skipped: 2 },
    deaths: { files, others },
  })
  const chance = (first: Tested, second: Tested) => {
    const asked: (readonly string[])[] = []
    const outcome = secondChance(first, (files) => {
      asked.push(files)
      return second
    })
    return { asked, outcome }
  }

  it('is for the files that died, and both runs are counted', () => {
    const { asked, outcome } = chance(ended(1, ['a']), ended(0, []))
    expect(asked).toEqual([['a']])
    expect(outcome).toMatchObject({ code: 0, counts: { passed: 2, failed: 1, skipped: 4 } })
  })

  it('is not given where nothing died', () => {
    expect(chance(ended(1, [], 1), ended(0, []))).toMatchObject({ asked: [], outcome: { code: 1 } })
  })

  it.each([
    ['another file failed by itself', ended(1, ['a'], 1), ended(0, [])],
    ['the file dies again', ended(1, ['a']), ended(0, ['a'])],
    ['its tests fail', ended(1, ['a']), ended(1, [])],
  ])('does not help where %s', (_, first, second) => {
    expect(chance(first, second).outcome.code).toBe(1)
  })
})
