/** Names and comments in words that the project does not use are found. */
import { expect, test } from 'vitest'
import { wordComplaints } from './word-rules.ts'

const complaints = (path: string, text: string, exports: string[] = []) =>
  wordComplaints({ path, text, exports, lines: 1, imports: [], functions: [], onlyReexports: false })

test.each(['keptAnswers', 'KeptAnswers', 'KEPT_MS', 'answersKept'])(
  'the exported name %s is refused',
  (name) => {
    expect(complaints('scripts/a.ts', '', [name]).join()).toMatch(/"kept"/)
  },
)

test.each(['keptics', 'mendable', 'accompanyUser'])('%s is another word', (name) => {
  expect(complaints('scripts/a.ts', '', [name])).toEqual([])
})

test('a file may not be named so either', () => {
  expect(complaints('packages/server/src/lulls.ts', '').join()).toMatch(/in flight/)
})

test('comments of the source are read, with the line of each finding, and those of tests are not', () => {
  const text = '/**\n * Whoever comes.\n */\n'
  expect(complaints('packages/server/src/a.ts', text).join()).toMatch(/a\.ts:2: .*whoever/)
  expect(complaints('packages/server/test/a.ts', text)).toEqual([])
})
