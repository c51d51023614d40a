/** `scriptward trace`: identifies the user whose copy of a script leaked. */

import { entriesOf, type V1ScriptsTraceResponse, v1ProjectScriptsList, v1ScriptsTrace } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../../cli.ts'
import { Fault, REFUSED, usage } from '../../faults.ts'
import { readInput } from '../../input.ts'
import { patiently } from '../../source/sending.ts'

type Flags = CommonFlags & { readonly script?: string; readonly all?: true }
type Script = { readonly id: string; readonly name: string }
type Found = { readonly script: Script } & Pick<V1ScriptsTraceResponse, 'accused' | 'candidates' | 'versions'>

export function addTrace(program: Command, around: Surroundings): void {
  program
    .command('trace')
    .description('Find the user a leaked copy was delivered to')
    .argument('<file>', "Leaked copy, or part of one; '-' for standard input")
    .option('--script <id>', 'Script ID (default: from scriptward.json)')
    .option('--all', 'Compare with every script in the project')
    .option('--project <id>', 'Project ID for --all (default: from scriptward.json)')
    .addHelpText('after', '\nExit code 2 means that no certain match was found.')
    .action(acting(around, trace))
}

async function trace(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const file = words.text(0)
  // Replaces invalid UTF-8 and NUL bytes, which must not occur in the request. Neither occurs in a watermark.
  const text = (await readInput(cli, file)).toString('utf8').replaceAll('\0', ' ')
  if (text.trim() === '') throw usage(`${file}: this file is empty.`)
  const { client, url } = await cli.service()
  const scripts = await scriptsOf(cli, flags)
  const progress = cli.progress(`Comparing the text with the copies delivered by ${url}`)
  const found: Found[] = []
  try {
    for (const [index, script] of scripts.entries()) {
      const which = `${script.name}${scripts.length > 1 ? ` (${index + 1} of ${scripts.length})` : ''}`
      if (scripts.length > 1) progress.say(`Comparing the text with the copies of ${which}`)
      const onBusy = (seconds: number) => progress.say(`${url} is busy, retrying ${which} in ${seconds} s`)
      const call = { client, path: { script_id: script.id }, body: { text }, throwOnError: true } as const
      const { data } = await patiently({ signal: cli.signal, onBusy }, () => v1ScriptsTrace(call))
      found.push({ script, accused: data.accused, candidates: data.candidates, versions: data.versions })
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
    throw usage('No script given. Pass --script scr_…, or --all to compare with every script in a project.')
  }
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const scripts: Script[] = []
  const path = { project_id }
  for await (const { id, name } of entriesOf('scripts', (after) =>
    v1ProjectScriptsList({ client, path, query: { after }, throwOnError: true }),
  ))
    scripts.push({ id, name })
  if (scripts.length === 0)
    throw new Fault(REFUSED, "This project has no scripts. Push one with 'scriptward push'.")
  return scripts
}

function tell({ out }: Cli, found: readonly Found[]): void {
  for (const { script, accused, candidates, versions } of found)
    out.json({ script_id: script.id, accused, candidates, versions })
  const isNamed = tellResult(out, found)
  if (!isNamed) throw new Fault(REFUSED, whyNobody(found))
}

/** Prints the matching users. Returns whether the evidence identifies any of them. */
export function tellResult(out: Cli['out'], found: readonly Found[]): boolean {
  const accused = found.flatMap((one) => one.accused.map((each) => ({ ...each, script: one.script.id })))
  const candidates = found.flatMap((one) =>
    one.candidates.map((each) => ({ ...each, script: one.script.id })),
  )
  if (accused.length > 0) tellAccused(out, found, accused)
  if (candidates.length > 0) tellCandidates(out, candidates)
  return accused.length > 0 || candidates.some(({ named }) => named)
}

type OfScript<T> = T & { readonly script: string }

function tellAccused(
  out: Cli['out'],
  found: readonly Found[],
  accused: readonly OfScript<Found['accused'][number]>[],
): void {
  out.rows({
    head: ['USER', 'SCRIPT', 'VERSION', 'RUN', 'EXECUTOR', 'MATCHES', 'PROBABILITY'],
    rows: accused.map((each) => [
      each.user_key ?? 'guest',
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
  out.note(
    "PROBABILITY is an upper bound on the probability that another user's copy matches this well by chance.",
  )
}

function tellCandidates(out: Cli['out'], candidates: readonly OfScript<Found['candidates'][number]>[]): void {
  out.rows({
    head: ['USER', 'SCRIPT', 'VERSION', 'LAST RUN', 'EXECUTOR', 'NUMBERS', 'LIKELIHOOD'],
    rows: candidates.map((each) => [
      each.user_key ?? 'guest',
      each.script,
      String(each.version),
      out.when(each.granted_at),
      each.executor,
      String(each.numbers_matched),
      `${(Math.floor(each.likelihood * 10_000) / 100).toFixed(2)}%`,
    ]),
    values: [],
    empty: '',
  })
  out.note(
    "NUMBERS counts the user's WARD_VARY numbers in the copy. A likelihood of 99.9% or more identifies the user.",
  )
}

function slotsRead(found: readonly Found[], { script, version }: { script: string; version: number }) {
  const ofScript = found.find((one) => one.script.id === script)
  return ofScript?.versions.find((one) => one.version === version)?.slots_read ?? 0
}

function whyNobody(found: readonly Found[]): string {
  const uncertain = found.flatMap(({ versions }) => versions).find(({ numbers_read }) => numbers_read > 0)
  if (uncertain) {
    const { numbers_read: read, numbers_needed: needed } = uncertain
    return `No certain match: ${read} WARD_VARY ${read === 1 ? 'number was' : 'numbers were'} read, and ${needed} must match to identify one user. Do not act on candidates without more evidence.`
  }
  const isRead = found.some(({ versions }) => versions.length > 0)
  return isRead
    ? 'No match: the watermark is readable, but no delivered copy matches it well enough.'
    : 'No match: the text contains too little of a copy of this script.'
}
