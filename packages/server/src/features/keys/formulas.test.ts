/** Exported strings are never evaluated as spreadsheet formulas, and imports restore them unchanged. */
import { expect, test } from 'vitest'
import { quoteFormulas, unquoteFormulas } from './formulas.ts'

test.each([
  ['=HYPERLINK("http://evil"), x', `"'=HYPERLINK(""http://evil""), x"`],
  ['+1', `"'+1"`],
  ['-abcdefgh', `"'-abcdefgh"`],
  ['@sum', `"'@sum"`],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['Wave, =1', `"Wave, '=1"`],
  ["'=1", `"''=1"`],
])('an export quotes %j and an import restores it', (text, quoted) => {
  expect(quoteFormulas(text)).toBe(quoted)
  expect(unquoteFormulas(quoted)).toBe(text)
})

test.each(['Wave', 'a=b', 'say "hi"', '"quoted"', "'=1", `"'plain"`, '', '"'])(
  'an import keeps %j unchanged',
  (text) => {
    expect(unquoteFormulas(text)).toBe(text)
  },
)
