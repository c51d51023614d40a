/** Which users: the options that `users list` and `users bulk` share, as the service filters. */
import { USER_STATUSES, type UserStatus } from '@scriptward/client/user-statuses'
import { type Command, Option } from 'commander'

export type FilterFlags = {
  readonly status?: UserStatus
  readonly search?: string
  readonly plan?: string
  readonly tag?: string
  readonly issuedBy?: string
  readonly metadata?: string
}

export function addFilter(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'only these').choices(USER_STATUSES))
    .option('--search <text>', 'only those with this in key, note or chat account')
    .option('--plan <id>', 'only those of this plan')
    .option('--tag <tag>', 'only those with this tag')
    .option('--issued-by <text>', 'only those whom this one handed out')
    .option('--metadata <name=value>', 'only those with this member of their metadata')
}

/** The conditions that were given. */
export function filterOf({ status, search, plan, tag, issuedBy, metadata }: FilterFlags) {
  return {
    ...(status ? { status } : {}),
    ...(search ? { search } : {}),
    ...(plan ? { plan_id: plan } : {}),
    ...(tag ? { tag } : {}),
    ...(issuedBy ? { issued_by: issuedBy } : {}),
    ...(metadata ? { metadata } : {}),
  }
}
