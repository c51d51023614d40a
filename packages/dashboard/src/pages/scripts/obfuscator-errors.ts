/** Complaints of the obfuscator: about a place of the source, or about something else. */
import { isServiceError } from '@scriptward/sdk'
import type { Marker } from '../../parts/code-editor.tsx'

type Problem = { readonly param?: string; readonly message?: string }

const PLACE = /^line (\d+), column (\d+): (.*)$/s

export type Complaints = {
  readonly markers: readonly Marker[]
  /** Those without a place, by what they are about. */
  readonly others: Readonly<Record<string, string>>
}

export function complaintsIn(error: unknown): Complaints {
  const problems = problemsIn(error)
  const markers = problems.filter(({ param }) => param === 'script').flatMap(markerOf)
  const others = problems
    .filter((problem) => problem.param !== 'script' || markerOf(problem).length === 0)
    .map(({ param = 'script', message = '' }) => [param, message] as const)
  return { markers, others: joined(others) }
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
