/** `scriptward init`: writes `scriptward.json`, asking on a terminal for what was not given. */

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
    .description('write scriptward.json, so that push and others know the script of this folder')
    .option('--project <id>', 'the project, such as prj_…; the only one if there is one')
    .option('--new-project <name>', 'make a project with this name')
    .option('--entry <file>', 'the source that is pushed')
    .option('--root <folder>', 'the folder of all files of the script; that of the entry if left out')
    .option('--script <id>', 'a script that is there already, such as scr_…')
    .option('--name <name>', "name of a script that push makes; the entry's name if left out")
    .option('--test <file>', 'a test script that every build must pass')
    .option('--set <option=value...>', "options of the obfuscator by id, as in 'preset=strong'", [])
    .option('--force', 'replace the scriptward.json of this folder')
    .action(acting(around, init))
}

async function init(cli: Cli, flags: Flags): Promise<void> {
  const file = path.join(cli.cwd, PROJECT_FILE)
  if (existsSync(file) && !flags.force) throw usage(`${file} is there already: change it, or give --force.`)
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
  cli.out.line(`wrote ${PROJECT_FILE}: 'scriptward push' protects and publishes ${entry}`)
}

async function entryOf(cli: Cli, { entry }: Flags): Promise<string> {
  if (entry !== undefined) {
    if (existsSync(path.resolve(cli.cwd, entry))) return entry
    throw usage(`${entry}: there is no such file.`)
  }
  const sources = readdirSync(cli.cwd).filter((name) => /\.luau?$/.test(name))
  const [only] = sources
  if (only !== undefined && sources.length === 1) return only
  if (!canAsk(cli))
    throw usage(`Which source? Give --entry with the file${sources.length === 0 ? '' : `, such as ${only}`}.`)
  if (sources.length > 1)
    return choose(
      'Which source is pushed?',
      sources.map((value) => ({ value, label: value })),
    )
  return answered(
    await text({ message: 'Which source is pushed?', placeholder: 'src/main.lua', validate: isThere }),
  )
}

function isThere(value: string | undefined): string | undefined {
  return value && existsSync(value) ? undefined : 'There is no such file.'
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
  if (only === undefined) throw usage('There is no project yet: make one with --new-project <name>.')
  if (!canAsk(cli))
    throw usage(
      `Which project? Give --project: ${projects.map(({ id, name }) => `${id} (${name})`).join(', ')}.`,
    )
  return choose(
    'Which project?',
    projects.map(({ id, name }) => ({ value: id, label: name, hint: id })),
  )
}

/** undefined for a new one. */
async function scriptOf(cli: Cli, { client }: Service, project: string): Promise<string | undefined> {
  if (!canAsk(cli)) return undefined
  const scripts: { value: string; label: string; hint: string }[] = []
  const path = { project_id: project }
  for await (const { id, name } of entriesOf('scripts', (after) =>
    v1ProjectScriptsList({ client, path, query: { after }, throwOnError: true }),
  ))
    scripts.push({ value: id, label: name, hint: id })
  if (scripts.length === 0) return undefined
  const none = { value: '', label: 'a new one', hint: 'made by the first push' }
  return (await choose('Which script is it?', [none, ...scripts])) || undefined
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
