/**
 * How long requests took, in buckets by method, pattern of the route and status, as Prometheus reads histograms. The
 * library's own is given its labels with every request and finds out anew which series they mean, which costs more than
 * the rate limit does.
 */

export type Observed = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
}

type Series = Omit<Observed, 'ms'> & {
  /** One for each bound, and one for what is longer than all. */
  readonly counts: number[]
  seconds: number
}
type Sample = {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

export class Durations {
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  /** By pattern, which has few of them. */
  readonly #series = new Map<string, Series[]>()

  /** `bounds` are in seconds and rise. */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name
    this.help = help
    this.#bounds = bounds
  }

  observe({ method, route, status, ms }: Observed): void {
    const seconds = ms / 1000
    const series = this.#find(method, route, status)
    let at = 0
    while (at < this.#bounds.length && seconds > (this.#bounds[at] as number)) at += 1
    series.counts[at] = (series.counts[at] as number) + 1
    series.seconds += seconds
  }

  /** What the library's registry asks of a metric. */
  async get() {
    const values = [...this.#series.values()].flat().flatMap((series) => this.#samplesOf(series))
    return { name: this.name, help: this.help, type: 'histogram', aggregator: 'sum', values } as const
  }

  reset(): void {
    this.#series.clear()
  }

  #find(method: string, route: string, status: number): Series {
    const known = this.#series.get(route) ?? []
    for (const one of known) if (one.status === status && one.method === method) return one
    const counts = Array<number>(this.#bounds.length + 1).fill(0)
    const series = { method, route, status, counts, seconds: 0 }
    this.#series.set(route, [...known, series])
    return series
  }

  /** Each bucket counts those below it too. */
  #samplesOf({ method, route, status, counts, seconds }: Series): Sample[] {
    const labels = { method, route, status: String(status) }
    let count = 0
    const buckets = counts.map((some, at): Sample => {
      count += some
      const le = this.#bounds[at] ?? '+Inf'
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: seconds },
      { metricName: `${this.name}_count`, labels, value: count },
    ]
  }
}
