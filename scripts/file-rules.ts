/** What holds for a single file, whatever it imports: its name, its header, its size and the sizes of its functions. */
import path from 'node:path'
import type { SourceFile } from './source-files.ts'

const FILE_LINES = 400
/** For a file that `exceptions.ts` names. */
const LONG_FILE_LINES = 600
const FUNCTION_LINES = 60
const PARAMETERS = 4
const NESTING = 3
const BANNED_NAMES =
  /(^|[-.])(manager|helpers?|utils?|common|misc|shared|(?<!self-)services?|processors?|dto|handlers?)([-.]|$)/

type Reasons = Readonly<Record<string, string>>

export function fileComplaints(file: SourceFile, longFiles: Reasons): string[] {
  return [...nameComplaints(file), ...shapeComplaints(file), ...sizeComplaints(file, longFiles)]
}

/** Exceptions for files that do not exist, or that no longer need one. */
export function unusedExceptions(files: readonly SourceFile[], longFiles: Reasons): string[] {
  const long = new Set(files.filter(({ lines }) => lines > FILE_LINES).map((file) => file.path))
  return Object.keys(longFiles)
    .filter((file) => !long.has(file))
    .map((file) => `scripts/exceptions.ts: ${file} has no more than ${FILE_LINES} lines, or does not exist`)
}

function nameComplaints(file: SourceFile): string[] {
  const name = path.basename(file.path)
  const complaints: string[] = []
  if (BANNED_NAMES.test(name)) complaints.push(`${file.path}: the name says nothing; name what lives there`)
  if (name !== name.toLowerCase()) complaints.push(`${file.path}: file names are kebab-case`)
  return complaints
}

function shapeComplaints(file: SourceFile): string[] {
  const complaints: string[] = []
  if (file.onlyReexports) complaints.push(`${file.path}: a barrel; import from where things are defined`)
  if (!/^(\/\*\*|\/\/ )/.test(file.text)) {
    complaints.push(`${file.path}: has no header comment that says what lives here`)
  }
  return complaints
}

function sizeComplaints(file: SourceFile, longFiles: Reasons): string[] {
  const complaints: string[] = []
  const over = (what: string, value: number, most: number, line: number) => {
    if (value > most) complaints.push(`${file.path}:${line}: ${what} is ${value}, at most ${most}`)
  }
  over('lines of the file', file.lines, file.path in longFiles ? LONG_FILE_LINES : FILE_LINES, 1)
  for (const fn of file.functions) {
    over(`lines of ${fn.name}`, fn.lines, FUNCTION_LINES, fn.line)
    over(`parameters of ${fn.name}`, fn.parameters, PARAMETERS, fn.line)
    over(`nesting of ${fn.name}`, fn.nesting, NESTING, fn.line)
  }
  return complaints
}
