/** `scriptward changes …`: lists bulk changes and deletions, and undoes them. */

import {
  entriesOf,
  type V1ChangesListResponse,
  v1ChangesList,
  v1ChangesUndo,
  v1ChangesUsers,
  v1ProjectsChanges,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { takeNewest } from '../../output/lists.ts'

export function addChanges(program: Command, around: Surroundings): void {
  const changes = program.command('changes').description('Undo bulk changes and deletions')
  changes
    .command('list', { isDefault: true })
    .description('List changes that can be undone, newest first')
    .option('--project <id>', 'Project ID (default: all projects)')
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, list))
  changes
    .command('users')
    .description('List the users that a change affected')
    .argument('<change>', "Change ID, from 'changes list'")
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, users))
  changes
    .command('undo')
    .description('Undo a change: restore what was deleted and revert what was edited')
    .argument('<change>', "Change ID, from 'changes list'")
    .action(acting(around, undo))
}

async function list(cli: Cli, { project, limit: count }: CommonFlags & { readonly limit: string }) {
  const { client } = await cli.service()
  const found = await takeNewest(count, (limit) =>
    entriesOf('changes', (after) =>
      project === undefined
        ? v1ChangesList({ client, query: { after, limit }, throwOnError: true })
        : v1ProjectsChanges({
            client,
            path: { project_id: project },
            query: { after, limit },
            throwOnError: true,
          }),
    ),
  )
  cli.out.rows({
    head: ['CHANGE', 'CREATED', 'ACTION', 'USERS', 'WHO', 'BY', 'STATE', 'UNDO UNTIL'],
    rows: found.map((one) => [
      one.id,
      cli.out.when(one.created_at),
      one.action,
      String(one.count),
      whoOf(one),
      one.actor.name,
      one.state,
      cli.out.when(one.undo_until),
    ]),
    values: found,
    empty:
      "Nothing to undo. Changes appear here after 'scriptward users bulk', 'users remove' and other deletions.",
  })
}

async function users(cli: Cli, { limit: count }: CommonFlags & { readonly limit: string }, words: Words) {
  const { client } = await cli.service()
  const path = { change_id: words.text(0) }
  const found = await takeNewest(count, (limit) =>
    entriesOf('users', (after) =>
      v1ChangesUsers({ client, path, query: { after, limit }, throwOnError: true }),
    ),
  )
  cli.out.rows({
    head: ['KEY', 'NOTE', 'DISCORD'],
    rows: found.map(({ user_key, note, chat_id }) => [user_key, note ?? '', chat_id ?? '']),
    values: found,
    empty: 'No users. Undoing a change removes the restored users from this list.',
  })
}

/** Lists the first few affected users by name and counts the others. */
function whoOf({ samples, count }: V1ChangesListResponse['changes'][number]): string {
  const names = samples.map(({ note, chat_id, user_key }) => note ?? chat_id ?? user_key)
  const left = count - names.length
  return [...names, ...(left > 0 && names.length > 0 ? [`${left} more`] : [])].join(', ')
}

async function undo(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const { client } = await cli.service()
  const path = { change_id: words.text(0) }
  const { change } = (await v1ChangesUndo({ client, path, throwOnError: true })).data
  cli.out.json(change)
  for (const { what, name, reason } of change.skipped_entries) cli.out.note(`${what} ${name}: ${reason}`)
  const left = change.skipped > 0 ? `, ${change.skipped} skipped` : ''
  cli.out.line(`${change.id} ${change.state}: ${change.restored} restored${left}`)
}
