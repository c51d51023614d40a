/** Obfuscator errors, with or without a position in the source. */
import { isServiceError } from '@scriptward/sdk'
import type { Marker } from '../../components/code/code-mirror/props.ts'
import { markerIn } from '../../components/code/marker-in.ts'

type Problem = { readonly param?: string; readonly message?: string }

export type SourceErrors = {
  readonly markers: readonly Marker[]
  /** Errors without a position, by subject. */
  readonly others: Readonly<Record<string, string>>
}

export function sourceErrors(error: unknown): SourceErrors {
  const problems = problemsIn(error)
  const markers = problems.filter(({ param }) => param === 'script').flatMap(markersOf)
  const others = problems
    .filter((problem) => problem.param !== 'script' || markersOf(problem).length === 0)
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

function markersOf({ message = '' }: Problem): Marker[] {
  const marker = markerIn(message)
  return marker === undefined ? [] : [marker]
}

function joined(entries: readonly (readonly [string, string])[]): Record<string, string> {
  const all: Record<string, string> = {}
  for (const [param, message] of entries) all[param] = param in all ? `${all[param]}\n${message}` : message
  return all
}
