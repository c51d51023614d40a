/** `scriptward changes …`: what was done to many users at once, and to removed ones, and undoing it. */

import { entriesOf, v1ChangesList, v1ChangesUndo, v1ProjectsChanges } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { takeNewest } from '../../output/lists.ts'

export function addChanges(program: Command, around: Surroundings): void {
  const changes = program
    .command('changes')
    .description('list removals and changes of many users, and undo them')
  changes
    .command('list', { isDefault: true })
    .description('list changes that can be undone, newest first')
    .option('--project <id>', 'the project; every project of the account if left out')
    .option('--limit <count>', 'how many', '50')
    .action(acting(around, list))
  changes
    .command('undo')
    .description('undo a change: what was removed comes back, what was changed is as before')
    .argument('<change>', "its id, as 'changes list' shows it")
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
    head: ['CHANGE', 'WHEN', 'WHAT', 'USERS', 'BY', 'STATE', 'UNDO UNTIL'],
    rows: found.map((one) => [
      one.id,
      cli.out.when(one.created_at),
      one.action,
      String(one.count),
      one.actor.name,
      one.state,
      cli.out.when(one.undo_until),
    ]),
    values: found,
    empty: "There is nothing to undo. 'scriptward users bulk' and 'users remove' leave changes here.",
  })
}

async function undo(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const { client } = await cli.service()
  const path = { change_id: words.text(0) }
  const { change } = (await v1ChangesUndo({ client, path, throwOnError: true })).data
  cli.out.json(change)
  for (const { what, name, reason } of change.skipped_entries) cli.out.note(`${what} ${name}: ${reason}`)
  const left = change.skipped > 0 ? `, ${change.skipped} are left as they are` : ''
  cli.out.line(`${change.id} is ${change.state}: ${change.restored} restored${left}`)
}
