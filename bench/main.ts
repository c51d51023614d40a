/**
 * Runs all benchmarks and prints each figure with its limit: `npm run bench`, or `npm run bench -- store` for
 * selected ones. Ratios compare values from the same run. Times are medians. `--record` adds each figure to
 * RESULTS.md.
 */
import path from 'node:path'
import { installForBenches } from '../scripts/system-packages.ts'
import { record } from './record.ts'
import type { Row } from './row.ts'

type Bench = { bench(): Promise<Row[]> }

const BENCHES = [
  'obfuscator',
  'attacks',
  'execution',
  'staged',
  'discord',
  'log',
  'sessions',
  'crashes',
  'server-code',
  'library',
  'packages',
  'loader',
  'store',
  'server',
  'first-page',
  'scale',
  'fairness',
  'dashboard',
]

const words = process.argv.slice(2)
const wanted = words.filter((word) => word !== '--record')
const unknown = wanted.filter((name) => !BENCHES.includes(name))
if (unknown.length > 0)
  throw new Error(`unknown benchmark: ${unknown.join(', ')}; available: ${BENCHES.join(', ')}`)
await installForBenches()
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  const file = path.join(import.meta.dirname, `${name}.ts`)
  console.log(`\n${name}`)
  const rows = await ((await import(file)) as Bench).bench()
  for (const row of rows) console.log(describe(row))
  if (words.includes('--record')) record(name, rows)
}

function describe(row: Row): string {
  const figure = `${row.value.toLocaleString('en', { maximumSignificantDigits: 4 })} ${row.unit}`
  return [`  ${row.name.padEnd(58)}`, figure.padEnd(16), (row.limit ?? '').padEnd(12), row.note ?? '']
    .join(' ')
    .trimEnd()
}
