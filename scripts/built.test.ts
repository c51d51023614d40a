/**
 * Tests that generated files are never committed, are rebuilt only when their sources change, and are never
 * visible in a partial state.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeWorkFolder, PARTS, replaceFolder } from './built.mjs'
import { ROOT } from './run.ts'

const outputs = Object.values(PARTS).flatMap((part) => part.outputs)

const BUILT = JSON.stringify(path.join(ROOT, 'scripts', 'built.mjs'))
const MODULE = ['--input-type=module', '-e']
const SIZE = 100_000

let folder: string
beforeEach(() => {
  folder = makeWorkFolder()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function git(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
  return stdout
}

test('git tracks no generated files and ignores all of them', () => {
  expect(git('ls-files', '--', ...outputs)).toBe('')
  const files = outputs.map((output) => `${output}/file`)
  expect(
    git('check-ignore', '--no-index', ...files)
      .trim()
      .split('\n'),
  ).toEqual(files)
})

test('a fresh clone gets exactly the generated files, and outdated ones are removed', () => {
  const [target, made] = [path.join(folder, 'target'), mkdtempSync(path.join(folder, 'made-'))]
  mkdirSync(path.join(target, 'old'), { recursive: true })
  writeFileSync(path.join(target, 'old', 'gone.ts'), 'old')
  writeFileSync(path.join(target, 'index.ts'), 'old')
  mkdirSync(path.join(made, 'core'))
  writeFileSync(path.join(made, 'index.ts'), 'new')
  writeFileSync(path.join(made, 'core', 'types.ts'), 'new')
  replaceFolder(target, made)
  const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const texts = files.map((one) => path.relative(target, path.join(one.parentPath, one.name)))
  expect(texts.toSorted()).toEqual(['core/types.ts', 'index.ts'])
  expect(texts.map((name) => readFileSync(path.join(target, name), 'utf8'))).toEqual(['new', 'new'])
})

test('a reader sees complete files while two processes build the same part', async () => {
  const target = path.join(folder, 'target')
  const file = path.join(target, 'file')
  mkdirSync(target)
  writeFileSync(file, 'x'.repeat(SIZE))
  const builders = ['a', 'b'].map((letter) => spawn(process.execPath, [...MODULE, buildsOf(letter, target)]))
  const ended = Promise.all(builders.map((one) => once(one, 'exit')))
  let isOver = false
  void ended.finally(() => (isOver = true))
  while (!isOver) {
    expect(new Set(readFileSync(file, 'utf8')).size).toBe(1)
    expect(statSync(file).size).toBe(SIZE)
    await setImmediate()
  }
  expect((await ended).map(([code]) => code)).toEqual([0, 0])
})

/** Returns a program that rewrites the file in `target` in a loop. */
function buildsOf(letter: string, target: string): string {
  return `import { writeFileSync } from 'node:fs'
import { makeWorkFolder, replaceFolder } from ${BUILT}
for (let round = 0; round < 50; round++) {
  const made = makeWorkFolder()
  writeFileSync(made + '/file', ${JSON.stringify(letter)}.repeat(${SIZE}))
  replaceFolder(${JSON.stringify(target)}, made)
}`
}

test('nothing is rebuilt while the sources are unchanged', () => {
  const program = `import { buildChanged } from ${BUILT}
buildChanged(['reference', 'sdk'], process.execPath, process.env)`
  const build = () => spawnSync(process.execPath, [...MODULE, program], { encoding: 'utf8' })
  expect(build().status).toBe(0)
  expect(build()).toMatchObject({ status: 0, stderr: '' })
})
