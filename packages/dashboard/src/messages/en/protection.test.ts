import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { protectionText } from './protection.ts'

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../../../docs/obfuscator.md'), 'utf8')
const NAMES = ['light', 'balanced', 'strong', 'max']

/** Cells of a row in the table of measurements, one cell per preset. */
function cellsOf(row: string): string[] {
  const line = PAGE.split('\n').find((each) => each.startsWith(`| ${row}`))
  return line?.split('|').slice(2, -1) ?? []
}

const numbersIn = (cell: string) => (cell.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
const rangeOf = (numbers: number[]) => [Math.min(...numbers), Math.max(...numbers)]

it('the cost of each preset is the one that was measured', () => {
  const slowdowns = cellsOf('slowdown on').map((cell) => rangeOf(numbersIn(cell)))
  const sizes = cellsOf('largest size').map((cell) => numbersIn(cell)[1])
  expect(NAMES.map((name) => numbersIn(protectionText.presets[name]?.runTime ?? ''))).toEqual(slowdowns)
  expect(NAMES.map((name) => numbersIn(protectionText.presets[name]?.size ?? '')[0])).toEqual(sizes)
})
