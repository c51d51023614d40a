/** Resolves the source and target of a push, from the command line and `scriptward.json`. */

import path from 'node:path'
import { type Problem, parseOption } from '@scriptward/obfuscator'
import { ServiceError } from '@scriptward/sdk'
import type { Cli, CommonFlags } from '../cli.ts'
import { SourceFault, usage } from '../faults.ts'
import type { Bundle } from './bundle.ts'
import { findProjectFile, type Options, type ProjectFile } from './project-file.ts'

export type PushFlags = CommonFlags & {
  readonly script?: string
  readonly name?: string
  readonly test?: string
  readonly root?: string
  readonly set: readonly string[]
  /** Comma-separated names. */
  readonly server?: string
  readonly notes?: string
  readonly publishNotes?: true
}

export type Target = {
  /** Path of the main file, relative to the working directory. */
  readonly entry: string
  readonly project: string | undefined
  readonly script: string | undefined
  readonly name: string
  /** Path of the source root. */
  readonly root: string
  readonly test: string | undefined
  readonly options: Options
  /** Project file that stores the ID of a new script. */
  readonly file: ProjectFile | undefined
}

/**
 * If the given file is not the entry in `scriptward.json`, it belongs to a different script, so only the
 * server and project settings apply.
 */
export async function targetOf(cli: Cli, given: string, flags: PushFlags): Promise<Target> {
  // Not cached, because the file can change while a command such as `push --watch` runs.
  const found = await findProjectFile(cli.cwd)
  const folder = path.dirname(found?.file ?? path.join(cli.cwd, '-'))
  const { entry: own, project, ...rest } = found?.settings ?? {}
  const entry = given !== '' ? given : own === undefined ? undefined : shown(cli.cwd, folder, own)
  if (entry === undefined)
    throw usage("No file given. Pass a source file, or run 'scriptward init' to create scriptward.json.")
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

/** Turns diagnostics from the server into diagnostics with local paths. */
export function inSource(error: unknown, bundled: Bundle): unknown {
  if (!(error instanceof ServiceError)) return error
  const { obfuscator_errors } = error.members as {
    readonly obfuscator_errors?: readonly Problem[]
  }
  if (obfuscator_errors === undefined) return error
  return new SourceFault(...obfuscator_errors.map((problem) => bundled.locate(problem)))
}

/** Path relative to the working directory. */
function shown(cwd: string, folder: string, file: string): string {
  return path.relative(cwd, path.resolve(folder, file)) || file
}
