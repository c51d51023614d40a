/**
 * `scriptward users import` and `export`: reads users from a file, and writes all of a project's users to a
 * file.
 */

import { readFile } from 'node:fs/promises'
import {
  type V1ProjectUsersImportResponse,
  v1LimitsGet,
  v1ProjectUsersExport,
  v1ProjectUsersImport,
} from '@scriptward/sdk'
import { type Command, Option } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { Fault, REFUSED, usage } from '../../faults.ts'
import { writeWhole } from '../../source/atomic-write.ts'

const PROJECT = ['--project <id>', 'Project ID (default: from scriptward.json)'] as const

const SERVICES = [
  ...(['auto', 'luarmor', 'luaauth', 'junkie', 'aureva'] as const),
  ...(['leaf7', 'keyauth', 'keygen', 'csv'] as const),
]

export function addTransfer(users: Command, around: Surroundings): void {
  users
    .command('import')
    .description('Import users from another service or project')
    .argument('<file>', 'JSON export, CSV with a header row, or a text file with one key per line')
    .option(...PROJECT)
    .addOption(
      new Option('--from <service>', 'Source format; auto detects it from the field names')
        .choices(SERVICES)
        .default('auto'),
    )
    .option('--plan <id>', "Plan ID for the imported users, from 'plans list'")
    .option('--dry-run', 'Preview the import without changing anything')
    .action(acting(around, importAll))
  users
    .command('export')
    .description('Export all users in a project, including their keys')
    .option(...PROJECT)
    .addOption(
      new Option('--type <type>', "Format: 'json' can be reimported, 'text' contains only keys")
        .choices(['json', 'text'])
        .default('json'),
    )
    .option('-o, --output <file>', 'Output file, readable only by you (default: standard output)')
    .action(acting(around, exportAll))
}

type ImportFlags = CommonFlags & {
  readonly dryRun?: true
  readonly from: (typeof SERVICES)[number]
  readonly plan?: string
}
type Skipped = V1ProjectUsersImportResponse['skipped_entries'][number]

/** Splits long lists into several requests. Existing keys are skipped, so the command can be repeated safely. */
async function importAll(cli: Cli, flags: ImportFlags, words: Words): Promise<void> {
  const file = words.text(0)
  const records = recordsOf(file, textOf(file, await readFile(file)), flags)
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { limits } = (await v1LimitsGet({ client, throwOnError: true })).data
  const parts = partsOf(records, limits.users_to_import)
  const of = 'csv' in records ? file : `${records.users.length} users`
  const progress = cli.progress(`${flags.dryRun ? 'Checking' : 'Importing'} ${of}`)
  const skipped: Skipped[] = []
  const unknown = new Set<string>()
  let [imported, skippedTotal] = [0, 0]
  try {
    for (const [from, part] of parts) {
      const body = { ...part, ...settingsOf(flags) }
      const { data } = await v1ProjectUsersImport({ client, path: { project_id }, body, throwOnError: true })
      imported += data.imported
      skippedTotal += data.skipped
      skipped.push(...data.skipped_entries.map((entry) => ({ ...entry, index: entry.index + from })))
      for (const member of data.unknown_members ?? []) unknown.add(member)
      if (parts.length > 1) progress.say(`${imported + skippedTotal} of ${of}`)
    }
    progress.end()
  } catch (error) {
    progress.fail()
    if (imported > 0 && !flags.dryRun)
      cli.out.note(
        `Imported ${imported} users before the error. Run the same command again to import the rest.`,
      )
    throw error
  }
  cli.out.json({ dry_run: flags.dryRun === true, imported, skipped_total: skippedTotal, skipped })
  if (unknown.size > 0) cli.out.note(`${file}: ignored unknown fields: ${[...unknown].join(', ')}`)
  for (const { index, reason } of skipped) cli.out.note(`${file}: entry ${index + 1}: ${reason}`)
  // The server gives reasons only for the first entries that it skips.
  const others = skippedTotal - skipped.length
  if (others > 0) cli.out.note(`${file}: ${others} more entries were skipped.`)
  cli.out.line(`${flags.dryRun ? 'would import' : 'imported'} ${imported}, skipped ${skippedTotal}`)
  if (skipped.some(({ type }) => type !== 'key_taken'))
    throw new Fault(REFUSED, "Some entries couldn't be imported; see the messages above.")
}

/** Some spreadsheet programs save tables in another encoding, in which accented letters would get lost. */
function textOf(file: string, content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw usage(`${file}: not valid UTF-8. Save the file as UTF-8.`)
  }
}

type Records = { readonly users: unknown[] } | { readonly csv: string }

/** A file that doesn't start like JSON is sent as CSV in one request. */
function recordsOf(file: string, text: string, { from }: ImportFlags): Records {
  const isTable = from === 'csv' || !/^\uFEFF?\s*[[{]/.test(text)
  return isTable ? { csv: text } : { users: listOf(file, text) }
}

/** Includes the index of each part's first entry, so that messages can refer to entries by number. */
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
    throw usage(`${file}: not valid JSON: ${(error as Error).message}.`)
  }
  // Exports from other services name the list `users`, `keys`, `licenses` or `data`.
  const list = Array.isArray(value) ? value : Object.values(value as object).find(Array.isArray)
  if (Array.isArray(list) && list.length > 0) return list
  throw usage(`${file}: expected a JSON array with at least one user.`)
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
