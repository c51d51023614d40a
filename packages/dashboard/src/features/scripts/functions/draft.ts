/** The form state of server functions, and its validation. */
import type { V1ServerFunctionsTryData } from '@scriptward/sdk'
import { text } from '../../../messages/text.ts'

/** A test call as entered, in JSON. */
export type Draft = {
  readonly values: string
  /** Information about the simulated run. */
  readonly run: string
}
export type Trial = V1ServerFunctionsTryData['body']

const NAME = /^[a-z][a-z0-9_]{0,39}$/
export const NOTHING: Draft = { values: '[]', run: '{}' }
export const FIRST_SOURCE = `return function(run, item, amount)
  return 10 * amount
end
`

/** Returns the error for a new name, given the names in use. */
export function nameError(name: string, names: readonly string[]): string | undefined {
  if (!NAME.test(name)) return text.functions.nameWrong
  return names.includes(name) ? text.functions.nameTaken : undefined
}

/** Returns the request body for a test call, which is valid only if validation finds no errors. */
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
