/** Unsaved edits of server functions, kept while the page of the script is open. */
import type { V1ServerFunctionsTryData } from '@scriptward/sdk'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { text } from '../../../messages/text.ts'

export type Draft = {
  /** Name of a new function. */
  readonly name: string
  /** Undefined while unchanged. */
  readonly source?: string | undefined
  /** Arguments of a test call, as typed JSON. */
  readonly values: string
  /** Information about the simulated run, as typed JSON. */
  readonly run: string
}
/** Drafts by function name; a new function has an empty name. */
type Kept = ReadonlyMap<string, Draft>
export type Drafts = readonly [Kept, Dispatch<SetStateAction<Kept>>]
export type Trial = V1ServerFunctionsTryData['body']
type Change = (changes: Partial<Draft> | ((before: Draft) => Partial<Draft>)) => void

const NAME = /^[a-z][a-z0-9_]{0,39}$/
const NOTHING: Draft = { name: '', values: '[]', run: '{}' }
export const FIRST_SOURCE = `return function(run, item, amount)
  return 10 * amount
end
`

export function useDrafts(): Drafts {
  return useState<Kept>(new Map())
}

export function draftIn([kept, keep]: Drafts, name: string): readonly [Draft, Change] {
  const change: Change = (changes) =>
    keep((all) => {
      const before = all.get(name) ?? NOTHING
      const made = typeof changes === 'function' ? changes(before) : changes
      return new Map(all).set(name, { ...before, ...made })
    })
  return [kept.get(name) ?? NOTHING, change]
}

/** Returns what is wrong with a new name, given the names in use. */
export function nameError(name: string, names: readonly string[]): string | undefined {
  if (!NAME.test(name)) return text.functions.nameWrong
  return names.includes(name) ? text.functions.nameTaken : undefined
}

/** Returns the request body of a test call, which is valid only if there are no errors. */
export function trialIn({ values, run }: Draft) {
  const [list, facts] = [parse(values), parse(run)]
  const isObject = typeof facts === 'object' && facts !== null && !Array.isArray(facts)
  const errors = {
    values: Array.isArray(list) ? undefined : text.functions.valuesWrong,
    run: isObject ? undefined : text.functions.runWrong,
  }
  return { errors, trial: { values: list, run: facts } as Trial }
}

/** Returns undefined for invalid JSON. */
function parse(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return undefined
  }
}
