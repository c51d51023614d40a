/** `scriptward init`: writes `scriptward.json`, prompting for missing values on a terminal. */

import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { isCancel, select, text } from '@clack/prompts'
import { entriesOf, v1ProjectScriptsList, v1ProjectsCreate, v1ProjectsList } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Service, type Surroundings } from '../../cli.ts'
import { Fault, INTERRUPTED, usage } from '../../faults.ts'
import { canAsk } from '../../output/progress.ts'
import { PROJECT_FILE, writeProjectFile } from '../../source/project-file.ts'
import { optionsOf } from '../../source/push-target.ts'

type Flags = CommonFlags & {
  readonly script?: string
  readonly name?: string
  readonly entry?: string
  readonly root?: string
  readonly test?: string
  readonly newProject?: string
  readonly set: readonly string[]
  readonly force?: true
}

export function addInit(program: Command, around: Surroundings): void {
  program
    .command('init')
    .description('Create scriptward.json to link this folder to a script')
    .option('--project <id>', 'Project ID (default: your only project)')
    .option('--new-project <name>', 'Name of a new project to create')
    .option('--entry <file>', 'Main source file')
    .option('--root <folder>', 'Source root of a multi-file script (default: folder of the main file)')
    .option('--script <id>', 'ID of an existing script')
    .option('--name <name>', 'Name for a new script (default: name of the main file)')
    .option('--test <file>', 'Smoke test that every build must pass')
    .option('--set <option=value...>', "Obfuscator options, such as 'preset=strong'", [])
    .option('--force', 'Overwrite an existing scriptward.json')
    .action(acting(around, init))
}

async function init(cli: Cli, flags: Flags): Promise<void> {
  const file = path.join(cli.cwd, PROJECT_FILE)
  if (existsSync(file) && !flags.force)
    throw usage(`${file} already exists. Edit it, or pass --force to overwrite it.`)
  const entry = await entryOf(cli, flags)
  const service = await cli.service()
  const project = await projectOf(cli, service, flags)
  const script = flags.script ?? (await scriptOf(cli, service, project))
  const options = optionsOf(flags.set)
  const settings = {
    service: service.url,
    project,
    ...(script === undefined ? {} : { script }),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    entry,
    ...(flags.root === undefined ? {} : { root: flags.root }),
    ...(flags.test === undefined ? {} : { test: flags.test }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  }
  await writeProjectFile({ file, settings })
  cli.out.json(settings)
  cli.out.line(`created ${PROJECT_FILE}; protect and publish ${entry} with 'scriptward push'`)
}

async function entryOf(cli: Cli, { entry }: Flags): Promise<string> {
  if (entry !== undefined) {
    if (existsSync(path.resolve(cli.cwd, entry))) return entry
    throw usage(`${entry}: no such file.`)
  }
  const sources = readdirSync(cli.cwd).filter((name) => /\.luau?$/.test(name))
  const [only] = sources
  if (only !== undefined && sources.length === 1) return only
  if (!canAsk(cli))
    throw usage(
      `No main file given. Pass --entry${sources.length === 0 ? ' with its path' : `, such as --entry ${only}`}.`,
    )
  if (sources.length > 1)
    return choose(
      'Main file',
      sources.map((value) => ({ value, label: value })),
    )
  return answered(await text({ message: 'Main file', placeholder: 'src/main.lua', validate: isThere }))
}

function isThere(value: string | undefined): string | undefined {
  return value && existsSync(value) ? undefined : 'No such file.'
}

async function projectOf(cli: Cli, { client }: Service, { project, newProject }: Flags): Promise<string> {
  if (project !== undefined) return project
  if (newProject !== undefined) {
    const made = await v1ProjectsCreate({ client, body: { name: newProject }, throwOnError: true })
    return made.data.project_id
  }
  const projects: { id: string; name: string }[] = []
  for await (const one of entriesOf('projects', (after) =>
    v1ProjectsList({ client, query: { after }, throwOnError: true }),
  ))
    projects.push(one)
  const [only] = projects
  if (only !== undefined && projects.length === 1) return only.id
  if (only === undefined)
    throw usage('This account has no projects yet. Create one with --new-project <name>.')
  if (!canAsk(cli))
    throw usage(
      `No project given. Pass --project with one of: ${projects.map(({ id, name }) => `${id} (${name})`).join(', ')}.`,
    )
  return choose(
    'Project',
    projects.map(({ id, name }) => ({ value: id, label: name, hint: id })),
  )
}

/** Undefined until the first push creates the script. */
async function scriptOf(cli: Cli, { client }: Service, project: string): Promise<string | undefined> {
  if (!canAsk(cli)) return undefined
  const scripts: { value: string; label: string; hint: string }[] = []
  const path = { project_id: project }
  for await (const { id, name } of entriesOf('scripts', (after) =>
    v1ProjectScriptsList({ client, path, query: { after }, throwOnError: true }),
  ))
    scripts.push({ value: id, label: name, hint: id })
  if (scripts.length === 0) return undefined
  const none = { value: '', label: 'New script', hint: 'created by the first push' }
  return (await choose('Script', [none, ...scripts])) || undefined
}

async function choose(
  message: string,
  options: { value: string; label: string; hint?: string }[],
): Promise<string> {
  return answered(await select({ message, options }))
}

function answered(value: string | symbol): string {
  if (isCancel(value)) throw new Fault(INTERRUPTED)
  return value as string
}
