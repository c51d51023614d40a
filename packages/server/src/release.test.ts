/** A clone's commit is found in every form in which Git can store it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commitIn } from './release.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-release-'))
  mkdirSync(path.join(folder, '.git', 'refs', 'heads'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(path.join(folder, '.git', name), text)

test('the commit of a branch is read from its own file or from the packed refs', () => {
  write('HEAD', 'ref: refs/heads/main\n')
  write('packed-refs', `# pack-refs with: peeled\n${COMMIT.replaceAll('0', 'f')} refs/heads/main\n`)
  expect(commitIn(folder)).toBe(COMMIT.replaceAll('0', 'f'))
  write('refs/heads/main', `${COMMIT}\n`)
  expect(commitIn(folder)).toBe(COMMIT)
})

test('the commit of a detached clone is read, and outside a clone there is none', () => {
  write('HEAD', `${COMMIT}\n`)
  expect(commitIn(folder)).toBe(COMMIT)
  expect(commitIn(path.join(folder, 'other'))).toBeUndefined()
})
