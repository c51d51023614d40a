/** Tests that tables open safely in spreadsheets. */
import { expect, it } from 'vitest'
import { toCsv } from './csv.ts'

it('escapes every cell that a spreadsheet would treat as a formula, also one of several lines', async () => {
  const cells = ['=1', '+1', '-1', '@sum', '=1\nsecond line', "'=1", 'a=b', -1]
  expect(
    await toCsv(
      ['cell'],
      cells.map((cell) => [cell]),
    ),
  ).toBe(
    ['cell', `"'=1"`, `"'+1"`, `"'-1"`, `"'@sum"`, `"'=1\nsecond line"`, `"''=1"`, 'a=b', '-1'].join('\r\n'),
  )
})
