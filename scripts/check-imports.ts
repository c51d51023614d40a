/**
 * The rules of the house that a type checker does not know: who may import whom, no cycles, no barrels, sizes of
 * functions and files, names. Exceptions stand in `exceptions.ts`, each with its reason.
 */
import path from 'node:path'
import { EXCEPTIONS, type Exception } from './exceptions.ts'
import { findCycles, forbiddenImports } from './import-rules.ts'
import { ROOT } from './run.ts'
import { readSourceFiles, type SourceFile } from './source-files.ts'

const FILE_LINES = 400
const FUNCTION_LINES = 60
const PARAMETERS = 4
const NESTING = 3
const BANNED_NAMES =
  /(^|[-.])(manager|helpers?|utils?|common|misc|shared|services?|processors?|dto|handlers?)([-.]|$)/

const files = readSourceFiles(ROOT)
const complaints = [...files.flatMap(complaintsOf), ...findCycles(files), ...unusedExceptions(files)]
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
if (complaints.length === 0) process.stdout.write(`${files.length} files follow the rules of the house\n`)
process.exitCode = complaints.length === 0 ? 0 : 1

function complaintsOf(file: SourceFile): string[] {
  return [
    ...forbiddenImports(file),
    ...nameComplaints(file),
    ...shapeComplaints(file),
    ...sizeComplaints(file),
  ]
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

function sizeComplaints(file: SourceFile): string[] {
  const allowed: Partial<Exception> = EXCEPTIONS[file.path] ?? {}
  const complaints: string[] = []
  const over = (what: string, value: number, most: number, line: number) => {
    if (value > most) complaints.push(`${file.path}:${line}: ${what} is ${value}, at most ${most}`)
  }
  over('lines of the file', file.lines, allowed.fileLines ?? FILE_LINES, 1)
  for (const fn of file.functions) {
    over(`lines of ${fn.name}`, fn.lines, allowed.functionLines ?? FUNCTION_LINES, fn.line)
    over(`parameters of ${fn.name}`, fn.parameters, allowed.parameters ?? PARAMETERS, fn.line)
    over(`nesting of ${fn.name}`, fn.nesting, allowed.nesting ?? NESTING, fn.line)
  }
  return complaints
}

function unusedExceptions(all: readonly SourceFile[]): string[] {
  const known = new Set(all.map((file) => file.path))
  return Object.keys(EXCEPTIONS)
    .filter((file) => !known.has(file))
    .map((file) => `scripts/exceptions.ts: ${file} does not exist any more`)
}
