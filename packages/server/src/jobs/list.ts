/**
 * The database jobs, which any process may run. Webhooks are sent by `deliver-webhooks.ts`, and each process
 * checks its own live sessions. `start.ts` starts all of these.
 */
import type { Deps } from '../deps.ts'
import { mailApiKeys } from '../features/accounts/mail-api-keys.ts'
import { chainAudit } from '../features/audit/chain-audit.ts'
import { makeBackups } from '../features/backups/make-backups.ts'
import { syncRoles } from '../features/discord/sync-roles.ts'
import { processReports } from '../features/errors/process-reports.ts'
import { pruneLog } from '../features/executions/log/prune-log.ts'
import { settleRuns } from '../features/executions/log/settle-runs.ts'
import { countHealth } from '../features/health/count-health.ts'
import { pruneHealth } from '../features/health/prune-health.ts'
import { announceEnds } from '../features/keys/announce-ends.ts'
import { deleteExpiredUsers } from '../features/keys/delete-expired-users.ts'
import { sendMails } from '../features/people/send-mails.ts'
import { pruneReleases } from '../features/releases/prune-releases.ts'
import { reviewReleases } from '../features/releases/review-releases.ts'
import { pruneTraces } from '../features/traces/prune-traces.ts'
import type { Mailer } from '../platform/mail/mailer.ts'
import { prune } from './prune.ts'
import { steadyClock } from './steady-clock.ts'
import type { Worker } from './worker.ts'

export type Surroundings = {
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number
  /** Undefined if email isn't configured. */
  readonly mailer: Mailer | undefined
}

export function listWorkers(deps: Deps, { elapsed, mailer }: Surroundings): Worker[] {
  const clock = steadyClock(deps.now, elapsed)
  const { everyMs } = deps.config.backup
  return [
    chainAudit(deps),
    announceEnds(deps, clock),
    deleteExpiredUsers(deps, clock),
    processReports(deps),
    prune(deps, clock),
    settleRuns(deps, clock),
    pruneLog(deps, clock),
    pruneTraces(deps, clock),
    countHealth(deps, clock),
    pruneHealth(deps),
    reviewReleases(deps, clock),
    pruneReleases(deps),
    syncRoles(deps),
    ...(everyMs === undefined ? [] : [makeBackups(deps, everyMs)]),
    ...(mailer === undefined ? [] : [mailApiKeys(deps, mailer), sendMails(deps, mailer)]),
  ]
}
