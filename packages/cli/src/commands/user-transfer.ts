/** `scriptward users import` and `export`: all users of a project from and into a file. */

import { readFile } from 'node:fs/promises'
import { v1LimitsGet, v1ProjectUsersExport, v1ProjectUsersImport } from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { Fault, REFUSED, usage } from '../faults.ts'
import { writeWhole } from '../whole-file.ts'

const PROJECT = ['--project <id>', 'the project; the one of scriptward.json if left out'] as const

export function addTransfer(users: Command, around: Surroundings): void {
  users
    .command('import')
    .description('make users from the list of another service or project')
    .argument('<file>', 'a JSON list of users, as export writes it')
    .option(...PROJECT)
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

type ImportFlags = CommonFlags & { readonly dryRun?: true }
/** Of an entry whose key is there already. */
const TAKEN = 'key: is taken'

type Skipped = { readonly index: number; readonly reason: string }

/** What a list has too many of goes in several calls; a key that is there already is skipped, so it may be run again. */
async function importAll(cli: Cli, flags: ImportFlags, words: Words): Promise<void> {
  const file = words.text(0)
  const list = listOf(file, await readFile(file, 'utf8'))
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { limits } = (await v1LimitsGet({ client, throwOnError: true })).data
  const size = limits.users_to_import
  const progress = cli.progress(`${flags.dryRun ? 'Checking' : 'Importing'} ${list.length} users`)
  const skipped: Skipped[] = []
  let imported = 0
  try {
    for (let from = 0; from < list.length; from += size) {
      const body = { users: list.slice(from, from + size), ...(flags.dryRun ? { dry_run: true } : {}) }
      const { data } = await v1ProjectUsersImport({ client, path: { project_id }, body, throwOnError: true })
      imported += data.imported
      skipped.push(...data.skipped_entries.map(({ index, reason }) => ({ index: index + from, reason })))
      if (list.length > size) progress.say(`${Math.min(from + size, list.length)} of ${list.length} users`)
    }
    progress.end()
  } catch (error) {
    progress.fail()
    if (imported > 0 && !flags.dryRun)
      cli.out.note(`${imported} users were imported before; the same command imports the rest.`)
    throw error
  }
  cli.out.json({ dry_run: flags.dryRun === true, imported, skipped })
  for (const { index, reason } of skipped) cli.out.note(`${file}: entry ${index + 1}: ${reason}`)
  cli.out.line(`${flags.dryRun ? 'would import' : 'imported'} ${imported}, skipped ${skipped.length}`)
  if (skipped.some(({ reason }) => reason !== TAKEN))
    throw new Fault(REFUSED, 'Some entries cannot be users.')
}

function listOf(file: string, text: string): unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usage(`${file}: this is not JSON: ${(error as Error).message}.`)
  }
  const list = Array.isArray(value) ? value : (value as { users?: unknown } | null)?.users
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
