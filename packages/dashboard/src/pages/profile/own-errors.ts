/** Errors of a form whose fields show their own: what is left for the form. */
import { errorsOfFields } from '../../api.ts'

export function ownErrors(error: unknown, ...names: readonly string[]) {
  const fields = errorsOfFields(error)
  const isShown = names.some((name) => fields[name] !== undefined)
  return { fields, rest: isShown ? null : error }
}
