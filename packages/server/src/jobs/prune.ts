/**
 * Deletes rows past their retention period, one batch of each kind per transaction. Requests never wait for
 * pruning.
 */

import { ANSWER_RETENTION_MS } from '../api/limits.ts'
import { firstDayAt } from '../api/periods.ts'
import type { Queries } from '../database/engine/db.ts'
import { deleteOldIdempotencyKeys } from '../database/idempotency-keys.ts'
import type { Deps } from '../deps.ts'
import { KNOWN_BROWSER_MS, SIGN_IN_IDLE_MS } from '../features/access/callers.ts'
import { deleteOldSingleUses } from '../features/access/store/single-uses.ts'
import { MAIL_RETENTION_MS } from '../features/accounts/mails.ts'
import { releaseAbandonedObfuscations } from '../features/accounts/obfuscation-reservations.ts'
import { updateEndedCustomerBlacklists } from '../features/accounts/store/customers.ts'
import { deleteOldWaitingApiKeys } from '../features/accounts/store/waiting-api-keys.ts'
import { deleteOldAdCheckpointDays, deleteOldAdSystemDays } from '../features/ads/store/ad-days.ts'
import { deleteOldAdProgress } from '../features/ads/store/ad-progress.ts'
import { deleteOldAdUsedTokens } from '../features/ads/store/ad-used-tokens.ts'
import { deleteOldAdVisitors } from '../features/ads/store/ad-visitors.ts'
import { cutChain } from '../features/audit/chain.ts'
import { recordJob } from '../features/audit/record.ts'
import { listChainsToCut } from '../features/audit/store/audit-chains.ts'
import { dropEndedBans } from '../features/bans/bans.ts'
import {
  deleteChange,
  findChangeToEmpty,
  findEndedChange,
  updateEndedChanges,
} from '../features/changes/store/changes.ts'
import { deleteTrash } from '../features/changes/store/trash.ts'
import { CHANGE_LEASE_MS, deleteEndedSlice } from '../features/changes/unfinished-additions.ts'
import { deleteOldClaims } from '../features/discord/store/claims.ts'
import { deleteOldMembers } from '../features/discord/store/members.ts'
import { ERROR_RETENTION_MS } from '../features/errors/count-reports.ts'
import { deleteOldErrorRuns } from '../features/errors/store/error-details.ts'
import { deleteOldErrorGroups } from '../features/errors/store/error-groups.ts'
import { DENIAL_RETENTION_MS } from '../features/executions/denials/denials.ts'
import { forgetKeyUses } from '../features/executions/denials/sharing.ts'
import { deleteOldExecutions } from '../features/executions/store/daily-executions.ts'
import { deleteOldDenials } from '../features/executions/store/denials.ts'
import { deleteOldExecutionMarks } from '../features/executions/store/execution-marks.ts'
import { deleteOldOutcomes } from '../features/executions/store/outcomes.ts'
import { EXECUTOR_RETENTION_MS } from '../features/executors/answers.ts'
import { HIT_DAYS } from '../features/executors/hits.ts'
import { deleteOldExecutors } from '../features/executors/store/executors.ts'
import { deleteOldHits } from '../features/executors/store/hits.ts'
import { DEMAND_RETENTION_DAYS } from '../features/hub/demand.ts'
import { deleteOldDemand } from '../features/hub/store/hub-demand.ts'
import { reportEndedBlacklist } from '../features/keys/blacklists.ts'
import { updateEndedBlacklists } from '../features/keys/store/users.ts'
import { deleteOldInvitations } from '../features/people/store/invitations.ts'
import { deleteOldKnownBrowsers } from '../features/people/store/known-browsers.ts'
import { deleteOldSignIns } from '../features/people/store/sign-ins.ts'
import { deleteOldWaitingMails } from '../features/people/store/waiting-mails.ts'
import { listProjectOwners } from '../features/projects/store/projects.ts'
import { deleteOldAnnouncements } from '../features/variables/store.ts'
import { deleteOldEvents } from '../features/webhooks/store/outbox.ts'
import type { Worker } from './worker.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 60_000
/**
 * This retention allows year-over-year comparison and the tracing of leaked copies. Statistics show 30 days.
 */
const EXECUTION_RETENTION_DAYS = 400
/** If a new API key couldn't be emailed within this time, the key must be reset again. */
const WAITING_KEY_RETENTION_MS = 30 * DAY_MS
/** This retention exceeds the validity of all provider tokens. */
const USED_TOKEN_RETENTION_MS = DAY_MS
/** Visitors are counted per day and can view their key for a week. */
const AD_PROGRESS_RETENTION_MS = 7 * DAY_MS
/** This retention matches the lifetime of the visitor cookie. */
const VISITOR_RETENTION_MS = 30 * DAY_MS
/** Retention period of the webhook event log, for both delivered and undelivered events. */
const EVENT_RETENTION_MS = 30 * DAY_MS
/**
 * The default retention of the execution log. A run that reports an error again after this time is counted
 * twice.
 */
const ERROR_RUN_RETENTION_MS = 30 * DAY_MS
/** Maximum number of trashed rows per account. The oldest changes are dropped first. */
const MAX_TRASHED = 5_000_000
/** Maximum number of rows per transaction, which limits how long a transaction blocks SQLite's writer. */
const BATCH_SIZE = 500
/**
 * Number of accounts per transaction. It is lower than `BATCH_SIZE`, because each account needs several
 * statements. The remaining accounts are processed in the next run.
 */
const ACCOUNT_BATCH_SIZE = 50

/** Returns the number of deleted rows. A full batch means that there may be more rows to delete. */
type Step = (tx: Queries, now: number, deps: Pruning) => Promise<number>
type Pruning = Pick<Deps, 'random' | 'secrets' | 'config'>

const STEPS: readonly Step[] = [
  (tx, now) => deleteOldExecutions(tx, Math.floor(now / DAY_MS) - EXECUTION_RETENTION_DAYS, BATCH_SIZE),
  (tx, now) => deleteOldOutcomes(tx, now, BATCH_SIZE),
  (tx, now) => deleteOldAdCheckpointDays(tx, firstDayAt(now), BATCH_SIZE),
  (tx, now) => deleteOldAdSystemDays(tx, firstDayAt(now), BATCH_SIZE),
  (tx, now) => deleteOldExecutionMarks(tx, now - EXECUTION_RETENTION_DAYS * DAY_MS, BATCH_SIZE),
  endBlacklists,
  endCustomerBlacklists,
  (tx, now) => releaseAbandonedObfuscations(tx, now, ACCOUNT_BATCH_SIZE),
  (tx, now) => deleteOldWaitingApiKeys(tx, now - WAITING_KEY_RETENTION_MS),
  (tx, now) => deleteOldDenials(tx, now - DENIAL_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldIdempotencyKeys(tx, now - ANSWER_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldAdUsedTokens(tx, now - USED_TOKEN_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldAdProgress(tx, now - AD_PROGRESS_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldAdVisitors(tx, now - VISITOR_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteLeftChange(tx, now),
  (tx, now) => deleteOldSignIns(tx, now - SIGN_IN_IDLE_MS, BATCH_SIZE),
  (tx, now) => deleteOldInvitations(tx, now, BATCH_SIZE),
  (tx, now) => deleteOldSingleUses(tx, now, BATCH_SIZE),
  (tx, now) => deleteOldKnownBrowsers(tx, now - KNOWN_BROWSER_MS, BATCH_SIZE),
  (tx, now) => deleteOldWaitingMails(tx, now - MAIL_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldEvents(tx, now - EVENT_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldErrorGroups(tx, now - ERROR_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldExecutors(tx, now - EXECUTOR_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldHits(tx, Math.floor(now / DAY_MS) - HIT_DAYS, BATCH_SIZE),
  (tx, now) => deleteOldDemand(tx, Math.floor(now / DAY_MS) - DEMAND_RETENTION_DAYS, BATCH_SIZE),
  (tx, now) => deleteOldAnnouncements(tx, now, BATCH_SIZE),
  (tx, now) => deleteOldErrorRuns(tx, now - ERROR_RUN_RETENTION_MS, BATCH_SIZE),
  (tx, now) => deleteOldClaims(tx, now - DAY_MS, BATCH_SIZE),
  (tx, now) => deleteOldMembers(tx, now - DAY_MS, BATCH_SIZE),
  emptyTrash,
  (tx, now) => forgetKeyUses(tx, now, BATCH_SIZE),
  endBans,
  cutAuditLog,
]

/** Each step runs in its own transaction and skips rows locked by other processes. */
export function prune(deps: Pruning & Pick<Deps, 'db'>, clock: () => number): Worker {
  return {
    name: 'prune',
    everyMs: EVERY_MS,
    async run(signal) {
      const now = clock()
      let isMore = false
      for (const step of STEPS) {
        if (signal.aborted) return true
        isMore = (await deps.db.transaction((tx) => step(tx, now, deps))) >= BATCH_SIZE || isMore
      }
      return isMore
    },
  }
}

/** Cleans up after a process that crashed while adding users. */
async function deleteLeftChange(tx: Queries, now: number): Promise<number> {
  await updateEndedChanges(tx, { before: now - CHANGE_LEASE_MS })
  const change = await findEndedChange(tx)
  if (change === undefined) return 0
  await deleteEndedSlice(tx, change, now)
  return BATCH_SIZE
}

/**
 * Handles one change per transaction, and deletes the change together with its last row. Also deletes the
 * remaining rows of undone changes.
 */
async function emptyTrash(tx: Queries, now: number, { config }: Pruning): Promise<number> {
  const change = await findChangeToEmpty(tx, { before: now - config.undoDays * DAY_MS, most: MAX_TRASHED })
  if (change === undefined) return 0
  if ((await deleteTrash(tx, change, BATCH_SIZE)) === 0) await deleteChange(tx, change)
  return BATCH_SIZE
}

/** Blocks set by operators are in the server's audit log, so their end is logged there too. */
async function endCustomerBlacklists(tx: Queries, now: number, deps: Pruning): Promise<number> {
  const count = await updateEndedCustomerBlacklists(tx, now)
  if (count > 0) await recordJob(tx, deps, { customerId: '', job: 'end-blacklists', nouns: {}, count, now })
  return count
}

/** Handles one account per transaction, because each transaction locks the account's chain. */
async function cutAuditLog(tx: Queries, now: number, deps: Pruning): Promise<number> {
  const before = now - deps.config.auditDays * DAY_MS
  const [customerId] = await listChainsToCut(tx, before, 1)
  if (customerId === undefined) return 0
  return (await cutChain(tx, deps, { customerId, before })) === 0 ? 0 : BATCH_SIZE
}

async function endBans(tx: Queries, now: number, deps: Pruning): Promise<number> {
  const ended = await dropEndedBans(tx, now, BATCH_SIZE)
  const owners = await listProjectOwners(tx, [...ended.keys()])
  const byOwner = Map.groupBy(ended, ([project_id]) => owners.get(project_id) ?? '')
  for (const [customerId, projects] of byOwner) {
    const count = projects.reduce((sum, [, of]) => sum + of, 0)
    await recordJob(tx, deps, { customerId, job: 'end-bans', nouns: {}, count, now })
  }
  return [...ended.values()].reduce((sum, of) => sum + of, 0)
}

async function endBlacklists(tx: Queries, now: number, deps: Pruning): Promise<number> {
  const ended = await updateEndedBlacklists(tx, now, BATCH_SIZE)
  for (const row of ended) await reportEndedBlacklist(tx, { ...deps, now: () => now }, row)
  const owners = await listProjectOwners(tx, [...new Set(ended.map(({ project_id }) => project_id))])
  const byOwner = Map.groupBy(ended, ({ project_id }) => owners.get(project_id) ?? '')
  for (const [customerId, { length: count }] of byOwner)
    await recordJob(tx, deps, { customerId, job: 'end-blacklists', nouns: {}, count, now })
  return ended.length
}
