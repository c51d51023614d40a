/** Converts execution counts by script and day for charts and tables. */
import type { V1ProjectsExecutionsResponses } from '@scriptward/sdk'
import { DAY_MS } from '../../queries/outcomes.ts'

type Answer = V1ProjectsExecutionsResponses[200]['executions']

export type ScriptDays = { readonly id: string; readonly name: string; readonly values: readonly number[] }
export type Days = {
  /** Start of each day in UTC, as a timestamp. */
  readonly times: readonly number[]
  readonly total: readonly number[]
  /** Scripts in order of the number of executions, highest first. */
  readonly scripts: readonly ScriptDays[]
}

/** Returns the latest `count` days of a response. `now` determines the year of the labels. */
export function daysOf(answer: Answer, count: number, now: number): Days {
  const { total, ...scripts } = answer
  return {
    times: timesOf(Object.keys(total), now).slice(-count),
    total: Object.values(total).slice(-count),
    scripts: Object.entries(scripts)
      .map(([label, days]) => ({ ...scriptOf(label), values: Object.values(days).slice(-count) }))
      .sort((a, b) => sumOf(b.values) - sumOf(a.values) || (a.name < b.name ? -1 : 1)),
  }
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** Splits `<name> - <id>`. Names may contain the separator, but IDs can't. */
function scriptOf(label: string): { id: string; name: string } {
  const at = label.lastIndexOf(' - ')
  return { name: label.slice(0, at), id: label.slice(at + 3) }
}

/** Labels have the format `MM/DD`, one per day up to today. */
function timesOf(labels: readonly string[], now: number): number[] {
  const [month = 1, day = 1] = (labels.at(-1) ?? '').split('/').map(Number)
  const year = new Date(now).getUTCFullYear()
  const inYear = Date.UTC(year, month - 1, day)
  const last = inYear > now + DAY_MS ? Date.UTC(year - 1, month - 1, day) : inYear
  return labels.map((_, index) => last - (labels.length - 1 - index) * DAY_MS)
}
