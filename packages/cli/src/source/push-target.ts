/** Which script a push goes to, with what: from the words of the command and from `scriptward.json`. */

import path from 'node:path'
import { type Problem, parseOption } from '@scriptward/obfuscator'
import { ServiceError, v1ScriptsGet } from '@scriptward/sdk'
import type { Cli, CommonFlags } from '../cli.ts'
import { SourceFault, usage } from '../faults.ts'
import type { Bundle } from './bundle.ts'
import type { Options, ProjectFile } from './project-file.ts'

export type PushFlags = CommonFlags & {
  readonly script?: string
  readonly name?: string
  readonly test?: string
  readonly root?: string
  readonly set: readonly string[]
}

export type Target = {
  /** Path of the source, for reading and for words. */
  readonly entry: string
  readonly project: string | undefined
  readonly script: string | undefined
  readonly name: string
  /** Path of the folder that holds all files of the script. */
  readonly root: string
  /** Path of the test script. */
  readonly test: string | undefined
  readonly options: Options
  /** Where the id of a new script is written to. */
  readonly file: ProjectFile | undefined
}

/**
 * A file that is named and is not the entry is another script: of `scriptward.json` only service and project count for
 * it then.
 */
export async function targetOf(cli: Cli, given: string, flags: PushFlags): Promise<Target> {
  const found = await cli.projectFile()
  const folder = path.dirname(found?.file ?? path.join(cli.cwd, '-'))
  const { entry: own, project, ...rest } = found?.settings ?? {}
  const entry = given !== '' ? given : own === undefined ? undefined : shown(cli.cwd, folder, own)
  if (entry === undefined)
    throw usage("Which file? Name it, or write a scriptward.json with 'scriptward init'.")
  const isOwn = own !== undefined && path.resolve(cli.cwd, entry) === path.resolve(folder, own)
  const settings = isOwn ? rest : {}
  const root = flags.root ?? (settings.root && shown(cli.cwd, folder, settings.root))
  const test = flags.test ?? (settings.test && shown(cli.cwd, folder, settings.test))
  return {
    entry,
    project: flags.project ?? project,
    script: flags.script ?? settings.script,
    name: flags.name ?? settings.name ?? path.parse(entry).name,
    root: root ?? path.dirname(entry),
    test: test || undefined,
    options: { ...settings.options, ...optionsOf(flags.set) },
    file: isOwn ? found : undefined,
  }
}

export function optionsOf(set: readonly string[]): Options {
  return Object.fromEntries(set.map(parseOption)) as Options
}

/** Those that the service has for the script, and what was given besides. */
export async function optionsFor(cli: Cli, { script, options }: Target): Promise<Options> {
  if (script === undefined) return options
  const { client } = await cli.service()
  const { data } = await v1ScriptsGet({ client, path: { script_id: script }, throwOnError: true })
  return { ...(data.script.options as Options), ...options }
}

/** Complaints about places of the source become complaints about places of the files. */
export function inSource(error: unknown, bundled: Bundle): unknown {
  if (!(error instanceof ServiceError)) return error
  const { obfuscator_errors } = error.members as {
    readonly obfuscator_errors?: readonly Problem[]
  }
  if (obfuscator_errors === undefined) return error
  return new SourceFault(...obfuscator_errors.map((problem) => bundled.locate(problem)))
}

/** As a person in this folder would write it. */
function shown(cwd: string, folder: string, file: string): string {
  return path.relative(cwd, path.resolve(folder, file)) || file
}
