/** Filter options shared by `users list` and `users bulk`. */
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
    .addOption(new Option('--status <status>', 'Filter by status').choices(USER_STATUSES))
    .option('--search <text>', 'Filter by text in the key, note or Discord account')
    .option('--plan <id>', 'Filter by plan ID')
    .option('--tag <tag>', 'Filter by tag')
    .option('--issued-by <text>', 'Filter by reseller or other issuer')
    .option('--metadata <name=value>', 'Filter by metadata field')
}

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
