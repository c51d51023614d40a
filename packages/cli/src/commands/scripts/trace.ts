/** `scriptward trace`: whose copy of a script turned up somewhere. */

import { entriesOf, type V1ScriptsTraceResponse, v1ProjectScriptsList, v1ScriptsTrace } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { Fault, REFUSED, usage } from '../../faults.ts'
import { readInput } from '../../input.ts'
import { patiently } from '../../source/sending.ts'

type Flags = CommonFlags & { readonly script?: string; readonly all?: true }
type Script = { readonly id: string; readonly name: string }
type Found = { readonly script: Script } & Pick<V1ScriptsTraceResponse, 'accused' | 'versions'>

export function addTrace(program: Command, around: Surroundings): void {
  program
    .command('trace')
    .description('find out to whom a copy of a protected script was served')
    .argument('<file>', "the copy or a part of it, '-' for standard input")
    .option('--script <id>', 'the script, such as scr_…; the one of scriptward.json if left out')
    .option('--all', 'try every script of the project, one after the other')
    .option('--project <id>', 'the project for --all; the one of scriptward.json if left out')
    .addHelpText('after', '\nExit code 2: the text names nobody.')
    .action(acting(around, trace))
}

async function trace(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const file = words.text(0)
  // Bytes that are no text, and zeros, cannot be sent; they carry nothing that is looked for.
  const text = (await readInput(cli, file)).toString('utf8').replaceAll('\0', ' ')
  if (text.trim() === '') throw usage(`${file}: there is nothing in it.`)
  const { client, url } = await cli.service()
  const scripts = await scriptsOf(cli, flags)
  const progress = cli.progress(`Comparing the text with what ${url} served`)
  const found: Found[] = []
  try {
    for (const [index, script] of scripts.entries()) {
      const which = `${script.name}${scripts.length > 1 ? ` (${index + 1} of ${scripts.length})` : ''}`
      if (scripts.length > 1) progress.say(`Comparing the text with copies of ${which}`)
      const onBusy = (seconds: number) => progress.say(`${url} is busy: ${which} in ${seconds} s`)
      const call = { client, path: { script_id: script.id }, body: { text }, throwOnError: true } as const
      const { data } = await patiently({ signal: cli.signal, onBusy }, () => v1ScriptsTrace(call))
      found.push({ script, accused: data.accused, versions: data.versions })
    }
    progress.end()
  } catch (error) {
    progress.fail()
    throw error
  }
  tell(cli, found)
}

async function scriptsOf(cli: Cli, { script, all }: Flags): Promise<readonly Script[]> {
  if (!all) {
    const id = script ?? (await cli.projectFile())?.settings.script
    if (id !== undefined) return [{ id, name: id }]
    throw usage('Of which script may it be? Give --script scr_… or --all, for every script of a project.')
  }
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const scripts: Script[] = []
  const path = { project_id }
  for await (const { id, name } of entriesOf('scripts', (after) =>
    v1ProjectScriptsList({ client, path, query: { after }, throwOnError: true }),
  ))
    scripts.push({ id, name })
  if (scripts.length === 0) throw new Fault(REFUSED, 'This project has no script.')
  return scripts
}

function tell({ out }: Cli, found: readonly Found[]): void {
  for (const { script, accused, versions } of found) out.json({ script_id: script.id, accused, versions })
  const accused = found.flatMap((one) => one.accused.map((each) => ({ ...each, script: one.script.id })))
  if (accused.length === 0) throw new Fault(REFUSED, whyNobody(found))
  out.rows({
    head: ['USER', 'SCRIPT', 'VERSION', 'EXECUTED', 'EXECUTOR', 'MATCHES', 'CHANCE'],
    rows: accused.map((each) => [
      each.user_key ?? 'a guest',
      each.script,
      String(each.version),
      out.when(each.granted_at),
      each.executor,
      `${each.matches} of ${slotsRead(found, each)}`,
      each.chance.toPrecision(1),
    ]),
    values: [],
    empty: '',
  })
  out.note('CHANCE bounds the probability that the copy of another user agrees so well.')
}

function slotsRead(found: readonly Found[], { script, version }: { script: string; version: number }) {
  const ofScript = found.find((one) => one.script.id === script)
  return ofScript?.versions.find((one) => one.version === version)?.slots_read ?? 0
}

/** Too little could be read, or it agrees with nobody. */
function whyNobody(found: readonly Found[]): string {
  const isRead = found.some(({ versions }) => versions.length > 0)
  return isRead
    ? 'The text names nobody: it can be read, and agrees with no copy well enough.'
    : 'The text names nobody: too little of a copy of this script can be read in it.'
}
