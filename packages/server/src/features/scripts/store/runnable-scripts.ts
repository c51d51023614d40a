/**
 * The first read of an execution: a script, with the parts of its project and owner that the execution needs.
 */
import { type Expression, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'

/**
 * A condition that is true if any endpoint of the project may subscribe to execution events. If none does, no
 * events are created.
 */
const hasExecutionSubscriber = (projectId: Expression<string>) =>
  sql<0 | 1>`case when exists (select 1 from webhooks where webhooks.project_id = ${projectId}
    and (webhooks.kind = 'execution' or webhooks.address is not null)) then 1 else 0 end`

const runnable = prepared((db, p: { id: string }) =>
  db
    .selectFrom('scripts')
    .innerJoin('projects', 'projects.id', 'scripts.project_id')
    .innerJoin('customers', 'customers.id', 'projects.customer_id')
    .innerJoin('tiers', 'tiers.id', 'customers.tier')
    .select(['scripts.id', 'scripts.name', 'scripts.version', 'scripts.enabled', 'scripts.free_for_all'])
    .select(['scripts.kick_outdated', 'scripts.require_sessions', 'scripts.silent', 'scripts.project_id'])
    .select([
      'scripts.use_heartbeat',
      'scripts.disabled_message',
      'scripts.report_errors',
      'scripts.executor_rules',
      'scripts.staging',
    ])
    .select(['projects.customer_id', 'projects.require_chat'])
    .select((e) => hasExecutionSubscriber(e.ref('projects.id')).as('hears_executions'))
    .select(['projects.require_join_chat_server', 'projects.support_url', 'projects.guests_need_device'])
    .select(['projects.allow_fingerprint_resets', 'projects.fingerprint_reset_cooldown', 'projects.bans'])
    .select(['projects.content_revision', 'projects.key_format'])
    .select(['customers.plan_expires', 'customers.blacklisted', 'customers.blacklist_expires'])
    .select(['tiers.free_for_all as most_keyless_devices', 'tiers.max_calls'])
    .where('scripts.id', '=', p.id),
)
/** Clients are not tenants, so the owner is part of the result and not a condition. */
export const findRunnable = (db: Queries, scriptId: string) => runnable.first(db, { id: scriptId })
export type RunnableRow = NonNullable<Awaited<ReturnType<typeof findRunnable>>>

const claimed = prepared((db, p: { id: string }) => {
  const script = db.selectFrom('scripts').select('id').where('id', '=', p.id)
  return dialectOf(db).rowLocks ? script.modifyEnd(sql`for key share`) : script
})
/** Prevents the script from being deleted during the transaction. Returns false if it is already deleted. */
export const claimScript = async (tx: Queries, id: string): Promise<boolean> =>
  (await claimed.first(tx, { id })) !== null
