/**
 * Parts of the environment that may come from files: `.env` in the working directory, and one file per
 * secret, as provided by systemd, containers and clusters.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { allVariables, type Variable } from './variables.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const FILE = '_FILE'

/** Names of the variables that contain the path of a secret's file. */
export const FILE_NAMES: readonly string[] = allVariables.filter(({ secret }) => secret).map(fileNameOf)

/**
 * Returns the variables in this directory's `.env`, if it exists. Variables of the process take precedence.
 * Throws an Error that describes the fix if a line is invalid: Node skips lines that it can't parse, so a
 * setting in such a line would silently keep its default.
 */
export function environmentIn(folder: string, environment: Environment): Environment {
  const file = path.join(folder, '.env')
  const text = readText(file, (code) => {
    if (code === 'ENOENT' || code === 'EISDIR') return ''
    throw new Error(
      `${file} cannot be read (${code}): give the user of this process read access, or remove the file`,
    )
  })
  const [line] = linesWithoutValue(text)
  if (line !== undefined)
    throw new Error(
      `${file}: line ${line} is not in the form NAME=value: correct it, or start it with # to comment it out`,
    )
  return { ...parseEnv(text), ...environment }
}

const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+\s*=\s*(.*)$/

/**
 * Returns the numbers of the lines that are not assignments, comments, empty lines or part of a quoted
 * multi-line value.
 */
function linesWithoutValue(text: string): number[] {
  const lines = text.split(/\r?\n/)
  const wrong: number[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trim()
    const value = ASSIGNMENT.exec(line)?.[1]
    if (value !== undefined) at = lastLineOf(lines, at, value)
    else if (line !== '' && !line.startsWith('#')) wrong.push(at + 1)
  }
  return wrong
}

/** A quoted value may end on a later line. One without a closing quote extends to the end of its line. */
function lastLineOf(lines: readonly string[], at: number, value: string): number {
  const quote = /^["'`]/.exec(value)?.[0]
  if (quote === undefined || value.indexOf(quote, 1) > 0) return at
  const end = lines.findIndex((line, index) => index > at && line.includes(quote))
  return end < 0 ? at : end
}

/** Returns the contents of a secret's file, and the name that errors use for it. */
export type FromFile = { readonly text: string; readonly name: string }

/**
 * Returns undefined if no file is set for this variable. Throws an Error that names the variable and
 * describes the fix.
 */
export function secretFromFile(variable: Variable, environment: Environment): FromFile | undefined {
  const setting = fileNameOf(variable)
  const file = fileOf(variable, environment)
  if (!file) return undefined
  if (environment[variable.name])
    throw new Error(`${variable.name} and ${setting} are both set: remove one of them`)
  const text = readText(file, (code) => {
    throw new Error(`${setting}: ${file} ${FAULTS[code] ?? `cannot be read (${code})`}`)
  }).replace(/\r?\n$/, '')
  if (text === '') throw new Error(`${setting}: ${file} is empty: write the value of ${variable.name} to it`)
  return { text, name: `${variable.name} in ${file}` }
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: correct the path, or create the file',
  EISDIR: 'is a directory: use the path of a file in it',
  EACCES: 'cannot be read (EACCES): give the user of this process read access',
}

/** Returns the path of the file that contains this secret, or an empty string if none is set. */
export function fileOf(variable: Variable, environment: Environment): string {
  return (variable.secret && environment[fileNameOf(variable)]) || ''
}

function fileNameOf({ name }: Variable): string {
  return `${name}${FILE}`
}

/** Skips the byte order mark that editors on Windows add, which would become part of the first name or secret. */
function readText(file: string, failed: (code: string) => string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    return failed((error as NodeJS.ErrnoException).code ?? 'unknown')
  }
}
