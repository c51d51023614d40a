/** Server health as known to this process, for operators. */
import type { Deps } from '../../deps.ts'
import { diskOf, memoryOfMachine } from '../../platform/machine.ts'
import { countWaitingApiKeys } from '../accounts/store/waiting-api-keys.ts'
import { countAllUnchained } from '../audit/store/audit-entries.ts'
import { countWaitingMails } from '../people/store/waiting-mails.ts'
import { countDueEvents } from '../webhooks/store/outbox.ts'

/** Counting stops at this number, because operators don't need exact numbers beyond it. */
const MOST = 100_000
const FIVE_MINUTES_MS = 300_000
const HOUR_MS = 3_600_000

export async function describeSystem(deps: Deps) {
  const { config, sessions, jobs } = deps
  const startedAt = Math.round(deps.now() - process.uptime() * 1000)
  return {
    started_at: startedAt,
    uptime_ms: Math.round(process.uptime() * 1000),
    engine: config.databaseUrl === undefined ? ('SQLite' as const) : ('PostgreSQL' as const),
    processes: await sessions.network.countProcesses(),
    figures: await describeFigures(deps),
    queues: await describeQueues(deps),
    jobs: jobs.list(),
    findings: await deps.examine(),
  }
}

/**
 * If the disk or the database can't be read, this is reported as a finding, and the other figures are still
 * shown.
 */
async function describeFigures({ config, db, requests }: Deps) {
  const [disk, database] = await Promise.all([
    diskOf(config.dataDir).catch(() => null),
    db.size().catch(() => null),
  ])
  const memory = memoryOfMachine()
  return {
    disk,
    memory: { ...memory, process: process.memoryUsage.rss() },
    database_bytes: database,
    requests: { last_5_minutes: requests.within(FIVE_MINUTES_MS), last_hour: requests.within(HOUR_MS) },
  }
}

async function describeQueues({ db, obfuscator, now }: Deps) {
  const { read } = db
  const [webhooks, mails, apiKeys, unchained] = await Promise.all([
    countDueEvents(read, MOST),
    countWaitingMails(read),
    countWaitingApiKeys(read),
    countAllUnchained(read, MOST),
  ])
  const { oldest } = unchained
  return {
    webhooks,
    mails: mails + apiKeys,
    audit_entries: unchained.count,
    audit_lag: oldest === null ? 0 : Math.max(0, now() - oldest),
    builds: obfuscator.load().waiting,
    writes: db.load().waiting,
  }
}
