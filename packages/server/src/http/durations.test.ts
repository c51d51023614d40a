/** Histograms of durations, read by the library that shows them. */
import { type Histogram, Registry } from '@prometheus-io/client'
import { describe, expect, it } from 'vitest'
import { Durations } from './durations.ts'

async function linesOf(observe: (durations: Durations) => void): Promise<string[]> {
  const registry = new Registry()
  const durations = new Durations('took_seconds', 'How long.', [0.01, 0.1])
  registry.registerMetric(durations as unknown as Histogram)
  observe(durations)
  return (await registry.metrics()).trim().split('\n')
}

describe('durations', () => {
  it('are counted in their bucket and in every longer one, a bound belonging to what it ends', async () => {
    const lines = await linesOf((durations) => {
      for (const ms of [5, 10, 50, 5000]) durations.observe({ method: 'GET', route: '/a', status: 200, ms })
    })
    const labels = 'method="GET",route="/a",status="200"'
    expect(lines).toEqual([
      '# HELP took_seconds How long.',
      '# TYPE took_seconds histogram',
      `took_seconds_bucket{le="0.01",${labels}} 2`,
      `took_seconds_bucket{le="0.1",${labels}} 3`,
      `took_seconds_bucket{le="+Inf",${labels}} 4`,
      `took_seconds_sum{${labels}} 5.065`,
      `took_seconds_count{${labels}} 4`,
    ])
  })

  it('of other methods, routes and statuses are other series', async () => {
    const lines = await linesOf((durations) => {
      const one = { method: 'GET', route: '/a', status: 200, ms: 1 }
      for (const other of [{}, { method: 'PUT' }, { route: '/b' }, { status: 404 }, {}])
        durations.observe({ ...one, ...other })
    })
    const counts = lines.filter((line) => line.startsWith('took_seconds_count'))
    expect(counts.map((line) => line.split(' ')[1])).toEqual(['2', '1', '1', '1'])
  })
})
