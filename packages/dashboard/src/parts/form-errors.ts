/** Errors of a form beside its fields: its own before it is sent, and those of the service afterwards. */
import { useEffect, useState } from 'react'
import { errorsOfFields } from '../api.ts'

type Errors = Readonly<Record<string, string | undefined>>

/** `of` is the error of a field, or of an entry of its list; `rest` is what no field shows. */
export function useFormErrors(error: unknown) {
  const [own, setOwn] = useState<Errors>({})
  const answered = errorsOfFields(error)
  const hasOwn = Object.values(own).some((each) => each !== undefined)
  useEffect(() => {
    if (error || hasOwn)
      document.querySelector('dialog[open] .complaint')?.scrollIntoView({ block: 'center' })
  }, [error, hasOwn])
  const of = (field: string) =>
    own[field] ?? answered[field] ?? Object.entries(answered).find(([at]) => at.startsWith(`${field}.`))?.[1]
  /** False when something is wrong. */
  const check = (found: Errors) => {
    setOwn(found)
    return Object.values(found).every((each) => each === undefined)
  }
  return { of, check, rest: Object.keys(answered).length > 0 ? null : error }
}
