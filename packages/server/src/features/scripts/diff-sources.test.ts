/** Limits on the comparison of two sources. */
import { expect, test } from 'vitest'
import { diffSources } from './diff-sources.ts'

const single = (source: string) => ({ source, files: null })
const lines = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join('\n')

test('a file with too many differing lines has no diff, and counts all its lines', () => {
  const before = single(lines(10_000, (n) => `a = ${n}`))
  const found = diffSources({ before, after: single(lines(9000, (n) => `b = ${n}`)) })
  const counts = { added_lines: 9000, removed_lines: 10_000 }
  expect(found).toEqual({
    files: [{ path: 'main.lua', change: 'changed', ...counts, diff: null }],
    truncated: true,
  })
})

test('a few changes in a large file are all shown', () => {
  const before = lines(100_000, (n) => `a = ${n}`)
  const after = before.replace('a = 500\n', '').replace('a = 90000', 'a = 0')
  const { files, truncated } = diffSources({ before: single(before), after: single(after) })
  expect([files[0]?.added_lines, files[0]?.removed_lines, truncated]).toEqual([1, 2, false])
})

test('all diffs together have at most 200 KB', () => {
  const files = Object.fromEntries(
    [1, 2, 3].map((n) => [`lib/${n}.lua`, lines(9000, (at) => `print(${at})`)]),
  )
  const after = { source: 'x', files: { script_path: 'main.lua', files } }
  const found = diffSources({ before: single('x'), after })
  const size = found.files.reduce((sum, { diff }) => sum + Buffer.byteLength(diff ?? ''), 0)
  expect(found.truncated).toBe(true)
  expect(size).toBeLessThanOrEqual(204_800)
  expect(found.files.map(({ added_lines }) => added_lines)).toEqual([9000, 9000, 9000])
})

test('a line of a minified file is cut, without half a character', () => {
  const { files, truncated } = diffSources({ before: single('x'), after: single('😀'.repeat(5000)) })
  const diff = files[0]?.diff ?? ''
  expect([truncated, diff.isWellFormed(), diff.length < 1100]).toEqual([true, true, true])
})

test('a file that moves into a tree keeps its history', () => {
  const after = { source: 'print(2)', files: { script_path: 'src/init.lua', files: { 'a.lua': 'return 1' } } }
  const { files } = diffSources({ before: single('print(1)'), after })
  expect(files.map(({ path, change }) => [path, change])).toEqual([
    ['src/init.lua', 'changed'],
    ['a.lua', 'added'],
  ])
})
