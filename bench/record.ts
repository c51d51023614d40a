/** Adds measured figures to the table in RESULTS.md, one row per figure. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { Row } from './row.ts'

const RESULTS = path.join(import.meta.dirname, 'RESULTS.md')
/** The notes, which follow the table, start here. */
const AFTER_TABLE = /\n\n## /
const ENGINE = /^(SQLite|PostgreSQL)[,:] /

export function record(bench: string, rows: readonly Row[]): void {
  const run = [new Date().toISOString().slice(0, 10), commit(), `${availableParallelism()} × ${process.arch}`]
  const lines = rows.map((row) => `| ${[...run, bench, ...cellsOf(row)].join(' | ')} |\n`)
  const results = readFileSync(RESULTS, 'utf8')
  const end = results.search(AFTER_TABLE) + 1
  writeFileSync(RESULTS, results.slice(0, end) + lines.join('') + results.slice(end))
}

function cellsOf({ name, value, unit, limit }: Row): string[] {
  const figure = `${value.toLocaleString('en', { maximumSignificantDigits: 4 })} ${unit}`.trim()
  return [ENGINE.exec(name)?.[1] ?? '', name.replace(ENGINE, ''), figure, limit ?? '']
}

/** Returns the current commit, followed by a plus sign if there are uncommitted changes. */
function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' })
  const isClean = git('status', '--porcelain', '--untracked-files=no', '--', ':!RESULTS.md') === ''
  return git('rev-parse', '--short', 'HEAD').trim() + (isClean ? '' : '+')
}
