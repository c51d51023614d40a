/** What is built is in no commit, is built only when its sources changed, and is never seen half written. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeWorkFolder, PARTS, replaceFolder } from './built.mjs'
import { ROOT } from './run.ts'

const outputs = Object.values(PARTS).flatMap((part) => part.outputs)

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

test('git holds none of the files that are built, and ignores all of them', () => {
  expect(git('ls-files', '--', ...outputs)).toBe('')
  const files = outputs.map((output) => `${output}/file`)
  expect(
    git('check-ignore', '--no-index', ...files)
      .trim()
      .split('\n'),
  ).toEqual(files)
})

test('a clone without them gets exactly the files that were made, and loses those of before', () => {
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

test('nothing is built while its sources are as they were', () => {
  const module = JSON.stringify(path.join(ROOT, 'scripts', 'built.mjs'))
  const program = `import { buildChanged } from ${module}
buildChanged(['reference', 'sdk'], process.execPath, process.env)`
  const build = () =>
    spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(build().status).toBe(0)
  expect(build()).toMatchObject({ status: 0, stderr: '' })
})
