/**
 * `scriptward executors …`: run statistics by executor, the functions that executors have, and a script's
 * executor rules.
 */

import {
  type V1ExecutorRulesGetResponse,
  v1ExecutorRulesEdit,
  v1ExecutorRulesGet,
  v1ExecutorsList,
  v1ScriptsHealth,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings, type Words } from '../../cli.ts'
import { usage } from '../../faults.ts'
import { plain } from '../../output/output.ts'
import { percentBelow } from '../../output/shares.ts'
import { SCRIPT, type ScriptFlags, scriptOf } from './versions.ts'

type Rule = V1ExecutorRulesGetResponse['rules'][number]
type Mode = V1ExecutorRulesGetResponse['mode']

const MODES: readonly Mode[] = ['watch', 'enforce']
const LISTED_VERSIONS = 5

const RULES_HELP = `
A deny rule blocks an executor. Once there is an allow rule, only allowed executors can run the script. In watch mode,
the rules don't deny any runs: they only count the runs that they would deny.`

export function addExecutors(program: Command, around: Surroundings): void {
  const executors = program
    .command('executors')
    .description('Show run statistics by executor, and allow or deny executors')
  const sub = (name: string, words: string, isDefault = false) =>
    executors.command(name, { isDefault }).description(words)
  sub('list', 'List runs, crashes and denials by executor for the latest versions', true)
    .option('--script <id>', SCRIPT)
    .action(acting(around, list))
  sub('functions', 'List the functions that an executor lacks, newest version first')
    .argument('<executor>', 'Executor name, as reported by its loader')
    .action(acting(around, functions))
  sub('rules', "Show a script's rules and the runs they would deny")
    .option('--script <id>', SCRIPT)
    .action(acting(around, rules))
  for (const action of ['allow', 'deny'] as const)
    sub(action, `Add a rule to ${action} an executor`)
      .argument('<executor>', 'Executor name')
      .option('--versions <versions>', 'Versions, comma-separated, such as 2.1 or 2.* (default: all)')
      .option('--script <id>', SCRIPT)
      .addHelpText('after', RULES_HELP)
      .action(acting(around, (cli: Cli, flags: RuleFlags, words: Words) => add(cli, flags, words, action)))
  sub('remove', 'Remove all rules for an executor')
    .argument('<executor>', 'Executor name')
    .option('--script <id>', SCRIPT)
    .action(acting(around, remove))
  sub('mode', 'Enforce the rules, or only count the runs they would deny')
    .argument('<mode>', MODES.join(' or '))
    .option('--script <id>', SCRIPT)
    .action(acting(around, setMode))
}

async function list(cli: Cli, flags: ScriptFlags): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const { versions } = (await v1ScriptsHealth({ client, path, throwOnError: true })).data
  const rows = versions
    .slice(0, LISTED_VERSIONS)
    .flatMap(({ version, executors }) => executors.map((one) => ({ version, ...one })))
  cli.out.rows({
    head: ['VERSION', 'EXECUTOR', 'STARTS', 'CRASH-FREE', 'DENIED', 'CUSTOMERS'],
    rows: rows.map((one) => [
      String(one.version),
      one.executor,
      String(one.runs),
      shareOf(one.crash_free_runs),
      String(one.denied),
      String(one.customers),
    ]),
    values: rows,
    empty: 'No runs yet. Runs are counted about 90 seconds after they start.',
  })
}

function shareOf(share: number | null): string {
  return share === null ? '-' : `${percentBelow(share).toFixed(1)}%`
}

async function functions(cli: Cli, _flags: object, words: Words): Promise<void> {
  const { client } = await cli.service()
  const query = { executor: words.text(0) }
  const { executors } = (await v1ExecutorsList({ client, query, throwOnError: true })).data
  cli.out.rows({
    head: ['VERSION', 'FUNCTIONS', 'LAST SEEN', 'MISSING'],
    rows: executors.map((one) => [
      one.version || '-',
      String(one.functions.length),
      cli.out.when(one.last_seen),
      one.missing.join(' ') || 'none',
    ]),
    values: executors,
    empty: 'No reports from this executor yet. Names are case-sensitive.',
  })
}

async function rules(cli: Cli, flags: ScriptFlags): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const { success: _, ...shown } = (await v1ExecutorRulesGet({ client, path, throwOnError: true })).data
  const { out } = cli
  out.json(shown)
  if (shown.rules.length === 0) return out.line('All executors can run this script.')
  for (const rule of shown.rules) out.line(describe(rule))
  if (shown.mode === 'enforce') return out.line('These rules are enforced.')
  const { runs, customers, days, executors } = shown.hits
  out.line(
    `These rules are in watch mode: in ${days} days, they would have denied ${runs} runs by ${customers} customers.`,
  )
  for (const one of executors)
    out.line(out.faint(`  ${plain(one.executor)}: ${one.runs} runs, ${one.customers} customers`))
}

function describe({ action, executor, versions }: Rule): string {
  return `${action} ${plain(executor)}${versions.length === 0 ? '' : ` ${versions.map(plain).join(', ')}`}`
}

type RuleFlags = ScriptFlags & { readonly versions?: string }

function add(cli: Cli, flags: RuleFlags, words: Words, action: Rule['action']): Promise<void> {
  const { versions: given = '' } = flags
  const versions = given
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const rule: Rule = { action, executor: words.text(0), versions }
  return change(cli, flags, ({ rules, mode }) => ({ mode, rules: [...rules, rule] }))
}

function remove(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const name = words.text(0).toLowerCase()
  return change(cli, flags, ({ rules, mode }) => {
    const kept = rules.filter(({ executor }) => executor.toLowerCase() !== name)
    if (kept.length === rules.length) throw usage(`There is no rule for ${words.text(0)}.`)
    return { mode, rules: kept }
  })
}

function setMode(cli: Cli, flags: ScriptFlags, words: Words): Promise<void> {
  const mode = MODES.find((one) => one === words.text(0))
  if (mode === undefined) throw usage(`The mode must be ${MODES.join(' or ')}.`)
  return change(cli, flags, ({ rules }) => {
    if (rules.length === 0) throw usage("There are no rules yet. Add one with 'scriptward executors deny'.")
    return { mode, rules }
  })
}

type Rules = { readonly mode: Mode; readonly rules: Rule[] }

async function change(cli: Cli, flags: ScriptFlags, edit: (rules: Rules) => Rules): Promise<void> {
  const path = { script_id: await scriptOf(cli, flags) }
  const { client } = await cli.service()
  const before = (await v1ExecutorRulesGet({ client, path, throwOnError: true })).data
  const body = edit(before)
  await v1ExecutorRulesEdit({ client, path, body, throwOnError: true })
  cli.out.json({ ...path, ...body, done: true })
  for (const rule of body.rules) cli.out.line(describe(rule))
  const end = body.mode === 'watch' ? 'These rules are in watch mode.' : 'These rules are enforced.'
  cli.out.line(body.rules.length === 0 ? 'All executors can run this script.' : end)
}
