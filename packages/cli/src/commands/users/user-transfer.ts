/** `scriptward users import` and `export`: all users of a project from and into a file. */

import { readFile } from 'node:fs/promises'
import { v1LimitsGet, v1ProjectUsersExport, v1ProjectUsersImport } from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { Fault, REFUSED, usage } from '../../faults.ts'
import { writeWhole } from '../../source/atomic-write.ts'

const PROJECT = ['--project <id>', 'the project; the one of scriptward.json if left out'] as const

const SERVICES = [
  ...(['auto', 'luarmor', 'luaauth', 'junkie', 'aureva'] as const),
  ...(['leaf7', 'keyauth', 'keygen', 'csv'] as const),
]

export function addTransfer(users: Command, around: Surroundings): void {
  users
    .command('import')
    .description('make users from the list of another service or project')
    .argument(
      '<file>',
      'JSON as export or another service writes it, a table with a row of names, or one key a line',
    )
    .option(...PROJECT)
    .addOption(
      new Option('--from <service>', 'the service that they come from; auto tells it by their columns')
        .choices(SERVICES)
        .default('auto'),
    )
    .option('--plan <id>', "the plan that they follow, as 'plans' shows it")
    .option('--dry-run', 'only tell what would be imported')
    .action(acting(around, importAll))
  users
    .command('export')
    .description('write all users of a project, with their keys: handle it like a secret')
    .option(...PROJECT)
    .addOption(
      new Option('--type <type>', 'json for an import, text for keys alone')
        .choices(['json', 'text'])
        .default('json'),
    )
    .option('-o, --output <file>', 'a file that only you can read; standard output if left out')
    .action(acting(around, exportAll))
}

type ImportFlags = CommonFlags & {
  readonly dryRun?: true
  readonly from: (typeof SERVICES)[number]
  readonly plan?: string
}
/** Of an entry whose key is there already. */
const TAKEN = 'key: is taken'

type Skipped = { readonly index: number; readonly reason: string }

/** What a list has too many of goes in several calls; a key that is there already is skipped, so it may be run again. */
async function importAll(cli: Cli, flags: ImportFlags, words: Words): Promise<void> {
  const file = words.text(0)
  const records = recordsOf(file, await readFile(file, 'utf8'), flags)
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { limits } = (await v1LimitsGet({ client, throwOnError: true })).data
  const parts = partsOf(records, limits.users_to_import)
  const of = 'csv' in records ? file : `${records.users.length} users`
  const progress = cli.progress(`${flags.dryRun ? 'Checking' : 'Importing'} ${of}`)
  const skipped: Skipped[] = []
  const unknown = new Set<string>()
  let imported = 0
  try {
    for (const [from, part] of parts) {
      const body = { ...part, ...settingsOf(flags) }
      const { data } = await v1ProjectUsersImport({ client, path: { project_id }, body, throwOnError: true })
      imported += data.imported
      skipped.push(...data.skipped_entries.map(({ index, reason }) => ({ index: index + from, reason })))
      for (const member of data.unknown_members ?? []) unknown.add(member)
      if (parts.length > 1) progress.say(`${imported + skipped.length} of ${of}`)
    }
    progress.end()
  } catch (error) {
    progress.fail()
    if (imported > 0 && !flags.dryRun)
      cli.out.note(`${imported} users were imported before; the same command imports the rest.`)
    throw error
  }
  cli.out.json({ dry_run: flags.dryRun === true, imported, skipped })
  if (unknown.size > 0) cli.out.note(`${file}: left out, since it is not known: ${[...unknown].join(', ')}`)
  for (const { index, reason } of skipped) cli.out.note(`${file}: entry ${index + 1}: ${reason}`)
  cli.out.line(`${flags.dryRun ? 'would import' : 'imported'} ${imported}, skipped ${skipped.length}`)
  if (skipped.some(({ reason }) => reason !== TAKEN))
    throw new Fault(REFUSED, 'Some entries cannot be users.')
}

type Records = { readonly users: unknown[] } | { readonly csv: string }

/** What does not begin as JSON is a table, which the service reads as a whole. */
function recordsOf(file: string, text: string, { from }: ImportFlags): Records {
  const isTable = from === 'csv' || !/^\uFEFF?\s*[[{]/.test(text)
  return isTable ? { csv: text } : { users: listOf(file, text) }
}

/** Each with the index of its first entry. */
function partsOf(records: Records, size: number): readonly (readonly [from: number, part: Records])[] {
  if ('csv' in records) return [[0, records]]
  const { users } = records
  const count = Math.ceil(users.length / size)
  return Array.from({ length: count }, (_, i) => [i * size, { users: users.slice(i * size, (i + 1) * size) }])
}

function settingsOf({ dryRun, from, plan }: ImportFlags) {
  return {
    ...(dryRun ? { dry_run: true } : {}),
    from,
    ...(plan === undefined ? {} : { plan_id: plan }),
  }
}

function listOf(file: string, text: string): unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw usage(`${file}: this is not JSON: ${(error as Error).message}.`)
  }
  // Services call the list users, keys, licenses or data.
  const list = Array.isArray(value) ? value : Object.values(value as object).find(Array.isArray)
  if (Array.isArray(list) && list.length > 0) return list
  throw usage(`${file}: this must be a JSON list with at least one user.`)
}

type ExportFlags = CommonFlags & { readonly type: 'json' | 'text'; readonly output?: string }

async function exportAll(cli: Cli, { type, output }: ExportFlags): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { data } = await v1ProjectUsersExport({
    client,
    path: { project_id },
    body: { type },
    throwOnError: true,
  })
  if (output === undefined)
    return void (await new Promise((resolve) => cli.stdout.write(`${data.exported}\n`, resolve)))
  await writeWhole(output, `${data.exported}\n`, { mode: 0o600 })
  cli.out.json({ file: output })
  cli.out.line(`wrote ${output}`)
}
