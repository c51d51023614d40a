/** A variable's form state and validation. */
import { text } from '../../messages/text.ts'
import type { Variable } from './queries.ts'

/** Null means no limit. */
export type Limit = readonly string[] | null
export type Draft = {
  readonly name: string
  readonly kind: 'text' | 'json'
  readonly typed: string
  readonly scripts: Limit
  readonly plans: Limit
}

const NAME = /^[a-z][a-z0-9_]{0,31}$/
const MAX_PREVIEW_LENGTH = 120

export function draftOf(name: string, variable: Variable | undefined): Draft {
  if (variable === undefined) return { name, kind: 'text', typed: '', scripts: null, plans: null }
  const { value, scripts, plans } = variable
  const kind = typeof value === 'string' ? 'text' : 'json'
  return {
    name,
    kind,
    typed: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    scripts,
    plans,
  }
}

/** Returns undefined for invalid JSON, and for null, because a variable can't be null. */
function valueIn({ kind, typed }: Draft): unknown {
  if (kind === 'text') return typed
  try {
    return (JSON.parse(typed) as unknown) ?? undefined
  } catch {
    return undefined
  }
}

export function variableIn(draft: Draft): Variable {
  const { scripts, plans } = draft
  return { value: valueIn(draft), scripts: scripts && [...scripts], plans: plans && [...plans] }
}

/** `names` are the names of the other variables. */
export function validate(draft: Draft, names: readonly string[]): Record<string, string | undefined> {
  const t = text.variables
  const name = draft.name.trim()
  return {
    name: NAME.test(name) ? (names.includes(name) ? t.nameTaken : undefined) : t.nameWrong,
    value: valueIn(draft) === undefined ? t.valueWrong : undefined,
    scripts: draft.scripts?.length === 0 ? t.scriptsMissing : undefined,
    plans: draft.plans?.length === 0 ? t.plansMissing : undefined,
  }
}

/** Shortens a value to fit on one line. */
export function previewOf(value: unknown): string {
  const whole = JSON.stringify(value) ?? ''
  const letters = [...whole]
  return letters.length > MAX_PREVIEW_LENGTH ? `${letters.slice(0, MAX_PREVIEW_LENGTH).join('')}…` : whole
}
