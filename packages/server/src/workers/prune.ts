/** Takes away what time has made worthless, a batch of each kind at a time. Nobody's answer depends on it. */
import type { Deps } from '../deps.ts'
import { reportEndedBlacklist } from '../domain/blacklists.ts'
import { DENIAL_RETENTION_MS } from '../domain/denials.ts'
import { ANSWER_KEPT_MS } from '../domain/limits.ts'
import { releaseAbandonedObfuscations } from '../domain/quotas.ts'
import { deleteOldAdProgress } from '../store/ad-progress.ts'
import { deleteOldAdUsedTokens } from '../store/ad-used-tokens.ts'
import { deleteOldAdVisitors } from '../store/ad-visitors.ts'
import { updateEndedCustomerBlacklists } from '../store/customers.ts'
import type { Queries } from '../store/db.ts'
import { deleteOldDenials } from '../store/denials.ts'
import { deleteOldExecutionMarks } from '../store/execution-marks.ts'
import { deleteOldExecutions } from '../store/executions.ts'
import { deleteOldIdempotencyKeys } from '../store/idempotency-keys.ts'
import { deleteEndedInstances, KEPT_ENDED_MS } from '../store/instances.ts'
import { updateEndedBlacklists } from '../store/users.ts'
import { deleteOldWaitingApiKeys } from '../store/waiting-api-keys.ts'
import type { Worker } from './worker.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 60_000
/** A year can be compared with the one before; statistics show thirty days. A copy can be traced for as long. */
const KEPT_DAYS = 400
/** Who did not take his new key in a month asks for another one. */
const KEPT_KEY_MS = 30 * DAY_MS
/** No token of a provider lives as long. */
const USED_TOKEN_MS = DAY_MS
/** Visitors are counted by the day, and may look at their key for a week. */
const WAY_KEPT_MS = 7 * DAY_MS
/** As long as the cookie. */
const VISITOR_MS = 30 * DAY_MS
/** Bounds for how long one transaction keeps SQLite's writer from everybody else. */
const ROWS_AT_ONCE = 500
/** Each takes several statements. The rest of them comes with the next run. */
const ACCOUNTS_AT_ONCE = 50

/** Answers how many rows it took; a full batch means that there may be more. */
type Step = (tx: Queries, now: number, deps: Pick<Deps, 'random'>) => Promise<number>

const STEPS: readonly Step[] = [
  (tx, now) => deleteEndedInstances(tx, now - KEPT_ENDED_MS, ROWS_AT_ONCE),
  (tx, now) => deleteOldExecutions(tx, Math.floor(now / DAY_MS) - KEPT_DAYS, ROWS_AT_ONCE),
  (tx, now) => deleteOldExecutionMarks(tx, now - KEPT_DAYS * DAY_MS, ROWS_AT_ONCE),
  endBlacklists,
  updateEndedCustomerBlacklists,
  (tx, now) => releaseAbandonedObfuscations(tx, now, ACCOUNTS_AT_ONCE),
  (tx, now) => deleteOldWaitingApiKeys(tx, now - KEPT_KEY_MS),
  (tx, now) => deleteOldDenials(tx, now - DENIAL_RETENTION_MS, ROWS_AT_ONCE),
  (tx, now) => deleteOldIdempotencyKeys(tx, now - ANSWER_KEPT_MS, ROWS_AT_ONCE),
  (tx, now) => deleteOldAdUsedTokens(tx, now - USED_TOKEN_MS, ROWS_AT_ONCE),
  (tx, now) => deleteOldAdProgress(tx, now - WAY_KEPT_MS, ROWS_AT_ONCE),
  (tx, now) => deleteOldAdVisitors(tx, now - VISITOR_MS, ROWS_AT_ONCE),
]

/** Every step is a transaction of its own and passes over rows that another process holds. */
export function prune(deps: Pick<Deps, 'db' | 'random'>, clock: () => number): Worker {
  return {
    name: 'prune',
    everyMs: EVERY_MS,
    async run(signal) {
      const now = clock()
      let isMore = false
      for (const step of STEPS) {
        if (signal.aborted) return true
        isMore = (await deps.db.transaction((tx) => step(tx, now, deps))) >= ROWS_AT_ONCE || isMore
      }
      return isMore
    },
  }
}

async function endBlacklists(tx: Queries, now: number, { random }: Pick<Deps, 'random'>): Promise<number> {
  const ended = await updateEndedBlacklists(tx, now, ROWS_AT_ONCE)
  for (const row of ended) await reportEndedBlacklist(tx, { now: () => now, random }, row)
  return ended.length
}
