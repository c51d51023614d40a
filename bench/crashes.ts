/**
 * Measures the cost of 1,000 runs that crash in a loop for an hour, compared with the cost of their
 * heartbeats. Loaders send error reports with heartbeats, each error at most once a minute and at most five
 * reports per run.
 */
import type { ErrorReport } from '../packages/client/src/live-messages.ts'
import { apart } from './apart.ts'
import { beater, callAll } from './heartbeats.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'
import { post, type Server, startServer } from './session-servers.ts'

const CLIENTS = 1000
const ROUNDS = 3
/** The first round is a warm-up during which hot code is compiled, so it isn't measured. */
const WARM_UP_ROUNDS = 1
const REPORTS = 5
/** Heartbeats per hour. */
const BEATS = 120
const CONCURRENCY = 64
const TOKEN = { token: 'admin-of-the-benchmark', 'content-type': 'application/json' }
const SOURCE = `local shop = {}
function shop.buy(item)
  return item.price.gold
end
while true do pcall(shop.buy, {}) end`

/**
 * CPU time in milliseconds for one heartbeat from every client. `beat` is the cost without a report, and
 * `report` is the additional cost of sending a report.
 */
type Costs = { readonly beat: number; readonly report: number }

export async function bench(): Promise<Row[]> {
  const service = await startServer('crashing', CLIENTS * (ROUNDS + WARM_UP_ROUNDS))
  try {
    await upload(service)
    return [rowOf(await apart([service], () => measure(service)))]
  } finally {
    service.end()
  }
}

async function upload({ url }: Server): Promise<void> {
  const body = JSON.stringify({ script: SOURCE })
  const response = await fetch(`${url}/v1/scripts/scr_bench/update`, { method: 'POST', headers: TOKEN, body })
  if (response.status !== 200) throw new Error(`the script was answered with ${await response.text()}`)
}

/** Uses new runs in every round, because the first report of a run costs the most. */
async function measure(service: Server): Promise<Costs[]> {
  const rounds: Costs[] = []
  for (let i = 0; i < ROUNDS + WARM_UP_ROUNDS; i++) {
    const instances = service.instances.slice(i * CLIENTS, (i + 1) * CLIENTS)
    const clients = instances.map((instance) => beater(service.url, instance, post))
    // The first heartbeat of a run also loads its state, so it isn't measured.
    await callAll(
      clients.map((client) => () => client()),
      CONCURRENCY,
    )
    const beat = await costOf(service, clients, () => '{"up":1}')
    rounds.push({ beat, report: (await costOf(service, clients, reportOf)) - beat })
  }
  return rounds.slice(WARM_UP_ROUNDS)
}

/** Every report but the first covers one minute of errors. */
function reportOf(n: number): string {
  const text = "bench:7: attempt to index field 'price' (a nil value)"
  const report: ErrorReport = { kind: 'thread', text, at: [7, 12], n: n === 0 ? 1 : 1_000_000 }
  return JSON.stringify({ up: 1, e: [report] })
}

type Client = ReturnType<typeof beater>

/**
 * Returns the CPU time of one heartbeat from every client, including the background work that it triggers.
 */
async function costOf(
  service: Server,
  clients: readonly Client[],
  messageOf: (n: number) => string,
): Promise<number> {
  const before = await service.ask('used')
  for (let n = 0; n < REPORTS; n++) {
    const calls = clients.map((client) => () => client(messageOf(n)))
    await callAll(calls, CONCURRENCY)
  }
  await service.ask('settled')
  return ((await service.ask('used')) - before) / REPORTS
}

function rowOf(rounds: readonly Costs[]): Row {
  const shares = rounds.map(({ beat, report }) => ((report * REPORTS) / (beat * BEATS)) * 100)
  const us = (costs: readonly number[]) => `${((median(costs) / CLIENTS) * 1000).toFixed(0)} µs`
  const [beat, report] = [us(rounds.map((one) => one.beat)), us(rounds.map((one) => one.report))]
  return {
    name: `reports of ${CLIENTS} runs that crash in a loop for an hour, CPU time relative to heartbeats`,
    value: median(shares),
    unit: '%',
    limit: '<= 5',
    note: `a heartbeat ${beat}, a report with its grouping ${report} more`,
  }
}
