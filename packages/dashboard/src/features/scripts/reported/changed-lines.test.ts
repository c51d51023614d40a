import { expect, it } from 'vitest'
import { changedLines } from './changed-lines.ts'

it('finds the added lines of each hunk by their number in the newer file', () => {
  const diff =
    '@@ -1,3 +1,4 @@\n local a\n-local b\n+local c\n+local d\n print(a)\n@@ -20 +21,2 @@\n x()\n+y()'
  expect([...changedLines(diff)]).toEqual([2, 3, 22])
  expect(changedLines('').size).toBe(0)
})
