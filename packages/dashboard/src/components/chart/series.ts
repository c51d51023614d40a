/** Types of chart data. */
type Color = 'accent' | 'good' | 'warn' | 'bad' | 'soft' | 'granted' | 'denied' | 'crashed' | 'vanished'

export type Series = {
  readonly title: string
  readonly color: Color
  readonly values: readonly number[]
  /** The previous period for comparison, drawn as a dashed line. */
  readonly isBefore?: boolean
  /** URL that the legend entry opens. Without `href` and `onChoose`, the entry hides the series. */
  readonly href?: string
  readonly onChoose?: () => void
  readonly isChosen?: boolean
}

export type Step = 'hour' | 'day'
/** Times in milliseconds; `to` is exclusive. */
export type Range = { readonly from: number; readonly to: number }
/** A moment on the time axis, such as a release. */
export type Flag = { readonly at: number; readonly title: string; readonly href: string }

const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const

/** The range of one hour or day, or of several. */
export function rangeOf(times: readonly number[], step: Step, first: number, last = first): Range {
  const [from, to] = [Math.min(first, last), Math.max(first, last)]
  return { from: times[from] ?? 0, to: (times[to] ?? 0) + STEP_MS[step] }
}

/** Whether the last hour or day is still in progress. */
export function isRunning(times: readonly number[], step: Step, now: number): boolean {
  const last = times.at(-1)
  return last !== undefined && last <= now && now < last + STEP_MS[step]
}

/** The part of a chart within a range. */
export function within<Data extends { times: readonly number[]; series: readonly Series[] }>(
  data: Data,
  range: Range | undefined,
): Data {
  if (range === undefined) return data
  const kept = data.times.map((time) => time >= range.from && time < range.to)
  const series = data.series.map((each) => ({ ...each, values: each.values.filter((_, i) => kept[i]) }))
  return { ...data, times: data.times.filter((_, i) => kept[i]), series }
}

/** Position of a moment, in hours or days from the start of the chart. */
export function positionOf(times: readonly number[], step: Step, at: number): number {
  return (at - (times[0] ?? 0)) / STEP_MS[step]
}

/** The range as log filters, whose times are inclusive. */
export function rangeQuery({ from, to }: Range): { readonly from: string; readonly to: string } {
  return { from: String(from), to: String(to - 1) }
}
