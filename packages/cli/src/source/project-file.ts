/** `scriptward.json`: which script of which project a folder is, and how it is protected. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { usage } from '../faults.ts'
import { writeWhole } from './atomic-write.ts'

export const PROJECT_FILE = 'scriptward.json'

export type Options = Readonly<Record<string, string | number | boolean>>

/** Paths are relative to the file. */
export type ProjectSettings = {
  /** Address of the service. */
  readonly service?: string
  /** `prj_…`. */
  readonly project?: string
  /** `scr_…`; written by the first push. */
  readonly script?: string
  /** Of a script that is not there yet; the name of the entry without its ending unless given. */
  readonly name?: string
  readonly entry?: string
  /** The folder of all files of the script; that of the entry unless given. */
  readonly root?: string
  /** A test script that every build has to pass. */
  readonly test?: string
  /** Of the obfuscator. */
  readonly options?: Options
}

export type ProjectFile = { readonly file: string; readonly settings: ProjectSettings }

/** In this folder or the nearest one above it. */
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
    if (!known.includes(name)) throw usage(`${file}: '${name}' is unknown; it may have ${known.join(', ')}.`)
    if (name !== 'options' && typeof value !== 'string') throw usage(`${file}: '${name}' must be a text.`)
  }
  if (settings.options !== undefined && !areOptions(settings.options))
    throw usage(`${file}: 'options' must be an object of texts, numbers, true and false.`)
  return settings as ProjectSettings
}

function readJson(file: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usage(`${file}: this is not JSON: ${(error as Error).message}.`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw usage(`${file}: this must be a JSON object.`)
}

function areOptions(value: unknown): value is Options {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((one) => ['string', 'number', 'boolean'].includes(typeof one))
}
