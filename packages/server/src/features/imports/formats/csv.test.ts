/** Tests how the cells of an imported table are read. */
import { expect, it } from 'vitest'
import { readCsv } from './csv.ts'

it("reads formulas that the dashboard's export escaped as they were", () => {
  const csv = `key,note\n"'-key-1","'@ada"\nkey-2,"''=1"\nkey-3,'quoted'\n`
  expect(readCsv(csv, 10)).toEqual([
    { key: '-key-1', note: '@ada' },
    { key: 'key-2', note: "'=1" },
    { key: 'key-3', note: "'quoted'" },
  ])
})
