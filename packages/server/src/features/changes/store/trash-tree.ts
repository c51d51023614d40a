/**
 * Lists the tables whose rows depend on a user, script or project and move to the trash with it. A test
 * compares these lists with the schema's foreign keys, so each new table with such rows must be either listed
 * here or explicitly excluded.
 */
import type { tables } from '../../../database/schema/tables.ts'

type TableName = keyof typeof tables
/** Rows of `table` whose `by` column equals the `to` column in a row of `of`. */
export type Branch = {
  readonly table: TableName
  readonly by: string
  readonly of: TableName
  readonly to: string
}

/** Tables that refer to a user by `project_id` and `user_key`. */
export const OF_USER = ['user_devices', 'user_fingerprints', 'ad_keys', 'denials'] as const
export type OfUser = (typeof OF_USER)[number]

const of = (parent: TableName, by: string, names: readonly TableName[]): Branch[] =>
  names.map((table) => ({ table, by, of: parent, to: 'id' }))

/**
 * `outcomes` has no foreign key to `scripts`, but its rows are deleted with a script. The tables of health have
 * none either; a worker deletes their rows soon after the script.
 */
export const OF_SCRIPT: readonly Branch[] = [
  ...of('scripts', 'script_id', [
    'script_versions',
    'script_activations',
    'script_channels',
    'releases',
    'script_messages',
    'server_functions',
    'hub_targets',
    'execution_marks',
    'line_maps',
    'daily_executions',
    'outcomes',
    'version_health',
    'version_customers',
    'error_groups',
    'traces',
  ]),
  ...of('error_groups', 'error_id', ['error_counts', 'error_users', 'error_samples']),
]

/** Everything in a project except its users. Parents come before their children. */
export const OF_PROJECT: readonly Branch[] = [
  ...of('projects', 'project_id', [
    'branding',
    'plans',
    'chat_members',
    'discord_bots',
    'discord_roles',
    'discord_role_checks',
    'bans',
    'project_variables',
    'announcements',
    'saved_views',
    'hub_demand',
  ]),
  ...of('projects', 'project_id', ['webhooks', 'outbox']),
  { table: 'ban_names', by: 'ban', of: 'bans', to: 'seq' },
  ...of('outbox', 'event_id', ['webhook_deliveries']),
  ...of('projects', 'project_id', ['scripts', 'outcomes', 'denials']),
  ...OF_SCRIPT.filter(({ table }) => table !== 'outcomes'),
  ...of('projects', 'project_id', ['ffa_devices', 'ad_systems']),
  ...of('ad_systems', 'system_id', ['ad_checkpoints', 'ad_slots', 'ad_progress', 'ad_system_days']),
  ...of('ad_checkpoints', 'checkpoint_id', ['ad_counts', 'ad_checkpoint_days']),
  ...of('ad_progress', 'progress_id', ['ad_attempts']),
]

/**
 * Rows that are deleted with a project or script but never restored: the state of running processes, recent
 * key uses, the expiry dates and limits that webhooks were notified of, and Discord's data about members.
 * Labels are rebuilt from the restored users. Error reports that no worker has grouped yet are lost. So are
 * the customers counted for a running release and the runs counted for executor rules. A run that reports an
 * error both before the removal and after the undo is counted twice.
 */
export const NOT_RESTORED: readonly TableName[] = [
  ...(['user_networks', 'user_network_marks', 'user_labels'] as const),
  ...(['expiry_watches', 'limit_notices'] as const),
  ...(['error_reports', 'error_runs', 'release_customers'] as const),
  ...(['executor_hits', 'executor_hit_customers'] as const),
  ...(['discord_members', 'discord_claims'] as const),
]
