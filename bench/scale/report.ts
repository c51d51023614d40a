/**
 * Formats a phase's results: one line of the printed table, and the rows that are compared with their limits.
 */
import type { Row } from '../row.ts'
import { quantile } from '../served.ts'
import type { Phase } from './phase.ts'
import { addCounts, type Counts, type Report, totalOf } from './tally.ts'

const COLUMNS = [
  'phase',
  'heartbeats away',
  'back p50/p99/worst',
  'sockets away',
  'back p50/p99/worst',
  'late',
  'changes rejected for',
  'runs rejected for',
  '503',
  'lost',
  'wrong',
]

export function tableOf(phases: readonly Phase[]): string {
  const lines = [COLUMNS, ...phases.map(cellsOf)]
  const widths = COLUMNS.map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`
  return [...lines.map(line), ...phases.map(wordsOf)].join('\n')
}

export function rowsOf(phase: Phase): Row[] {
  const { name, beats, sockets, changes, executions } = phase
  const row = (what: string, value: number, unit: string, more: Partial<Row> = {}): Row => ({
    ...{ name: `${name}: ${what}`, value, unit, ...more },
  })
  return [
    row('acknowledged changes lost', phase.lost + phase.staleReads, 'changes', { limit: '<= 0' }),
    row('wrongly allowed', phase.wrong.length, 'executions', { limit: '<= 0' }),
    row('valid keys denied', totalOf(phase.denied), 'executions', { limit: '<= 0' }),
    row('scripts not back within the grace period', phase.late, 'scripts', { limit: '<= 0' }),
    ...outageRows('heartbeats', beats, row),
    ...outageRows('sockets', sockets, row),
    row('changes rejected for', changes.awayMs / 1000, 's', { note: `${changes.refused} with 503` }),
    row('executions rejected for', executions.awayMs / 1000, 's', { note: `${executions.refused} with 503` }),
  ]
}

type MakeRow = (what: string, value: number, unit: string, more?: Partial<Row>) => Row

function outageRows(what: string, { back }: Report, row: MakeRow): Row[] {
  if (back.length === 0) return []
  const note = `${back.length.toLocaleString('en')} were away: ${timesOf(back)} s`
  return [row(`${what} back, p99`, at(back, 0.99), 's', { note })]
}

function cellsOf({ name, beats, sockets, ...phase }: Phase): string[] {
  const refused = totalOf(errorsOf({ beats, sockets }, ['HTTP 503'])) + refusedOf(phase)
  return [
    ...[
      name,
      String(beats.back.length),
      timesOf(beats.back),
      String(sockets.back.length),
      timesOf(sockets.back),
    ],
    ...[String(phase.late), inSeconds(phase.changes.awayMs), inSeconds(phase.executions.awayMs)],
    ...[String(refused), String(phase.lost + phase.staleReads), String(phase.wrong.length)],
  ]
}

function refusedOf({ changes, reads, executions }: Pick<Phase, 'changes' | 'reads' | 'executions'>): number {
  return changes.refused + reads.refused + executions.refused
}

/** Lists response times and all failures, except responses with status 503. */
function wordsOf({ name, seconds, beats, sockets, changes, reads, executions, ...phase }: Phase): string {
  const errors = addCounts([beats.errors, sockets.errors, changes.errors, reads.errors, executions.errors])
  const { 'HTTP 503': _, ...others } = errors
  const again = sockets.back.filter(({ isResumed }) => !isResumed).length
  const times = `a change ${ofRequests(changes.times)} ms, a run ${ofRequests(executions.times)} ms`
  return [
    `  ${name}: ${seconds.toFixed(0)} s; p50/p99 of ${times}`,
    `    other failures: ${listed(others)}; ended: ${listed(addCounts([beats.stopped, sockets.stopped]))}; new sessions: ${again}; valid keys denied: ${listed(phase.denied)}; wrongly allowed: ${phase.wrong.join(', ') || 'nobody'}`,
  ].join('\n')
}

function errorsOf({ beats, sockets }: Pick<Phase, 'beats' | 'sockets'>, names: readonly string[]): Counts {
  const all = addCounts([beats.errors, sockets.errors])
  return Object.fromEntries(names.map((name) => [name, all[name] ?? 0]))
}

function listed(counts: Counts): string {
  const words = Object.entries(counts).map(([name, times]) => `${times} × ${name}`)
  return words.join(', ') || 'none'
}

function timesOf(back: Report['back']): string {
  if (back.length === 0) return '-'
  return [0.5, 0.99, 1].map((part) => at(back, part).toFixed(1)).join(' / ')
}

function at(back: Report['back'], part: number): number {
  return (
    quantile(
      back.map(({ ms }) => ms),
      part,
    ) / 1000
  )
}

function ofRequests(times: readonly number[]): string {
  return [0.5, 0.99].map((part) => quantile(times, part).toFixed(0)).join(' / ')
}

function inSeconds(ms: number): string {
  return ms === 0 ? '-' : `${(ms / 1000).toFixed(1)} s`
}
