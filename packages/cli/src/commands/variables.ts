/** `scriptward variables …`: remote variables, which running scripts read as `ward.vars`. */

import { type V1VariablesGetResponse, v1VariablesGet, v1VariablesReplace } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { Fault, REFUSED, usage } from '../faults.ts'
import { readInput } from '../input.ts'

type Variables = V1VariablesGetResponse['variables']

export function addVariables(program: Command, around: Surroundings): void {
  const variables = program.command('variables').description('Manage remote variables')
  const sub = (name: string, words: string, isDefault = false) =>
    variables
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'Project ID (default: from scriptward.json)')
  sub('get', 'Print all variables, or the value of one', true)
    .argument('[name]', 'Variable name')
    .action(acting(around, get))
  sub('set', 'Set the value of a variable; its targeting stays the same')
    .argument('<name>', 'Variable name')
    .argument('<value>', 'String, @file, or @- for standard input')
    .option('--as-json', 'Parse the value as JSON instead of treating it as a string')
    .action(acting(around, set))
  sub('unset', 'Delete variables').argument('<names...>', 'Variable names').action(acting(around, unset))
}

const NONE = "This project has no variables yet. Set one with 'scriptward variables set motd Hello'."

async function get(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const { version, variables } = await read(cli)
  const name = words.text(0)
  if (name === '') {
    cli.out.json({ version, variables })
    if (Object.keys(variables).length === 0 && !cli.out.isJson) cli.out.note(NONE)
    for (const [each, { value }] of Object.entries(variables))
      cli.out.line(`${each}\t${JSON.stringify(value)}`)
    return
  }
  const { value } = own(variables, name) ?? missing(name)
  cli.out.json(value)
  cli.out.line(typeof value === 'string' ? value : JSON.stringify(value))
}

async function set(
  cli: Cli,
  { asJson }: CommonFlags & { readonly asJson?: true },
  words: Words,
): Promise<void> {
  const name = words.text(0)
  const given = words.text(1)
  const text = given.startsWith('@') ? String(await readInput(cli, given.slice(1))) : given
  const value = asJson ? parse(text) : text
  const { version, variables } = await read(cli)
  const { scripts = null, plans = null } = own(variables, name) ?? {}
  await replace(cli, version, { ...variables, [name]: { value, scripts, plans } })
}

async function unset(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const { version, variables } = await read(cli)
  const left = { ...variables }
  for (const name of words.list(0)) {
    if (!own(left, name)) missing(name)
    delete left[name]
  }
  await replace(cli, version, left)
}

/** A variable may be called `constructor`, so only own properties are considered. */
function own(variables: Variables, name: string): Variables[string] | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined
}

async function read(cli: Cli) {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  return (await v1VariablesGet({ client, path: { project_id }, throwOnError: true })).data
}

async function replace(cli: Cli, version: number, variables: Variables): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const body = { version, variables }
  const { data } = await v1VariablesReplace({ client, path: { project_id }, body, throwOnError: true })
  cli.out.json({ version: data.version })
  cli.out.line(`version ${data.version}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usage(`The value is not valid JSON: ${(error as Error).message}. Omit --as-json for a string.`)
  }
}

function missing(name: string): never {
  throw new Fault(
    REFUSED,
    `Variable '${name}' does not exist. List all variables with 'scriptward variables get'.`,
  )
}
