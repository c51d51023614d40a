/** Reads and writes `scriptward.json`, which sets the project, script and build options of a folder. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { usage } from '../faults.ts'
import { writeWhole } from './atomic-write.ts'

export const PROJECT_FILE = 'scriptward.json'

export type Options = Readonly<Record<string, string | number | boolean>>

/** Paths are relative to the file. */
export type ProjectSettings = {
  /** Server URL. */
  readonly service?: string
  /** Project ID, such as `prj_…`. */
  readonly project?: string
  /** Script ID, such as `scr_…`. The first push writes it. */
  readonly script?: string
  /** Name for a new script. Defaults to the main file's name without its extension. */
  readonly name?: string
  readonly entry?: string
  /** Source root of a multi-file script. Defaults to the folder of the main file. */
  readonly root?: string
  /** Test script that every build must pass. */
  readonly test?: string
  /** Obfuscator options. */
  readonly options?: Options
}

export type ProjectFile = { readonly file: string; readonly settings: ProjectSettings }

/** Searches this folder, then its parents. */
export async function findProjectFile(folder: string): Promise<ProjectFile | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    const file = path.join(at, PROJECT_FILE)
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EACCES') return undefined
      throw error
    })
    if (text !== undefined) return { file, settings: parse(file, text) }
    if (path.dirname(at) === at) return undefined
  }
}

export async function writeProjectFile({ file, settings }: ProjectFile): Promise<void> {
  await writeWhole(file, `${JSON.stringify(settings, null, 2)}\n`)
}

const TEXTS = ['service', 'project', 'script', 'name', 'entry', 'root', 'test'] as const

function parse(file: string, text: string): ProjectSettings {
  const settings = readJson(file, text)
  const known: readonly string[] = [...TEXTS, 'options', '$schema']
  for (const [name, value] of Object.entries(settings)) {
    if (!known.includes(name)) throw usage(`${file}: unknown field '${name}'. Allowed: ${known.join(', ')}.`)
    if (name !== 'options' && typeof value !== 'string') throw usage(`${file}: '${name}' must be a string.`)
  }
  if (settings.options !== undefined && !areOptions(settings.options))
    throw usage(`${file}: 'options' must be an object of strings, numbers and booleans.`)
  return settings as ProjectSettings
}

function readJson(file: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usage(`${file}: not valid JSON: ${(error as Error).message}.`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw usage(`${file}: expected a JSON object.`)
}

function areOptions(value: unknown): value is Options {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((one) => ['string', 'number', 'boolean'].includes(typeof one))
}
