/** Obfuscator errors, with or without a position in the source. */
import { isServiceError } from '@scriptward/sdk'
import type { Marker } from '../../components/code/code-mirror/props.ts'

type Problem = { readonly param?: string; readonly message?: string }

const PLACE = /^line (\d+), column (\d+): (.*)$/s

export type SourceErrors = {
  readonly markers: readonly Marker[]
  /** Errors without a position, by subject. */
  readonly others: Readonly<Record<string, string>>
}

export function sourceErrors(error: unknown): SourceErrors {
  const problems = problemsIn(error)
  const markers = problems.filter(({ param }) => param === 'script').flatMap(markerOf)
  const others = problems
    .filter((problem) => problem.param !== 'script' || markerOf(problem).length === 0)
    .map(({ param = 'script', message = '' }) => [param, message] as const)
  return { markers, others: joined(others) }
}

/** Returns the size limit in bytes if the source exceeded it, otherwise undefined. */
export function limitIn(error: unknown): number | undefined {
  if (!isServiceError(error) || error.type !== 'too_large') return undefined
  return Number(error.members.limit ?? 0)
}

function problemsIn(error: unknown): readonly Problem[] {
  const found = isServiceError(error) ? error.members.obfuscator_errors : undefined
  return Array.isArray(found) ? (found as Problem[]) : []
}

function markerOf({ message = '' }: Problem): Marker[] {
  const [, line, column, words] = PLACE.exec(message) ?? []
  return words === undefined ? [] : [{ line: Number(line), column: Number(column), message: words }]
}

function joined(entries: readonly (readonly [string, string])[]): Record<string, string> {
  const all: Record<string, string> = {}
  for (const [param, message] of entries) all[param] = param in all ? `${all[param]}\n${message}` : message
  return all
}
