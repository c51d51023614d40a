/** Shows form errors next to their fields: client-side validation first, then API errors. */
import { isServiceError } from '@scriptward/sdk'
import { useEffect, useRef, useState } from 'react'
import { errorMessages, errorsOfFields } from '../../queries/api.ts'

type Errors = Readonly<Record<string, string | undefined>>

/**
 * `of` returns the error of a field or list entry; `rest` contains errors that belong to no field. `about`
 * maps the types of errors that belong to one field to the name of that field.
 */
export function useFormErrors(error: unknown, about: Readonly<Record<string, string>> = {}) {
  const [own, setOwn] = useState<Errors>({})
  const shown = useRef(new Set<string>())
  const answered = { ...errorsOfFields(error), ...refusalIn(error, about) }
  const hasOwn = Object.values(own).some((each) => each !== undefined)
  useEffect(() => {
    if (!(error || hasOwn)) return
    const place = document.querySelector('dialog[open]') ?? document
    place.querySelector('form .field-error')?.scrollIntoView({ block: 'center' })
  }, [error, hasOwn])
  const isIn = (field: string) => (at: string) => at === field || at.startsWith(`${field}.`)
  const of = (field: string) => {
    shown.current.add(field)
    const at = Object.keys(answered).find(isIn(field))
    return own[field] ?? (at === undefined ? undefined : answered[at])
  }
  /** Returns false if there are errors. */
  const check = (found: Errors) => {
    setOwn(found)
    return Object.values(found).every((each) => each === undefined)
  }
  const named = Object.keys(answered)
  const isShown = (at: string) => [...shown.current].some((field) => isIn(field)(at))
  return { of, check, rest: named.length > 0 && named.every(isShown) ? null : error }
}

function refusalIn(error: unknown, about: Readonly<Record<string, string>>): Record<string, string> {
  const field = isServiceError(error) ? about[error.type] : undefined
  return field === undefined ? {} : { [field]: errorMessages(error).join(' ') }
}
