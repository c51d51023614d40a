/** Which tests count as a proof. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { testTitles } from './test-titles.ts'

function titlesIn(text: string): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-titles-'))
  try {
    const file = path.join(folder, 'some.test.ts')
    writeFileSync(file, text)
    return testTitles(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('a test is named with what is around it', () => {
  const text = `describe('a', () => { describe.each([1])('b', () => { it.each([2])('c %s', () => {}); test(\`d\`, f) }) })`
  expect(titlesIn(text)).toEqual(['a › b › c %s', 'a › b › d'])
})

it.each([
  `it.skip('a', f)`,
  `it.todo('a')`,
  `it.fails('a', f)`,
  `it.skipIf(true)('a', f)`,
  `describe.skip('a', () => { it('b', f) })`,
  `// it('a', f)`,
  `const text = "it('a', f)"`,
])('%s proves nothing', (text) => {
  expect(titlesIn(text)).toEqual([])
})
