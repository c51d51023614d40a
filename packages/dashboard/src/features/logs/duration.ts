/** The duration of a run. */
import { text } from '../../messages/text.ts'
import type { Run } from './queries.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Durations up to this limit are shown in seconds. */
const SHORT = 2 * MINUTE

export function durationOf({ at, state, ended_at }: Pick<Run, 'at' | 'state' | 'ended_at'>): string {
  const t = text.logs
  if (state === 'running') return t.states.running
  if (ended_at === null || state === 'vanished') return t.noDuration
  const ms = Math.max(0, ended_at - at)
  if (ms < SHORT) return t.seconds(Math.round(ms / SECOND))
  if (ms < HOUR) return t.minutes(Math.round(ms / MINUTE))
  const minutes = Math.round(ms / MINUTE)
  return t.hours(Math.floor(minutes / 60), minutes % 60)
}
