/**
 * Keeps a form's input until it is saved or discarded, for as long as the browser tab is open.
 *
 * All forms follow the same rule. Leaving a form needs no confirmation if its input can be restored later:
 * after Escape, navigation, an expired session or a reload. Actions that lose input ask for confirmation:
 * **Discard**, **Cancel**, and leaving a form with input that isn't kept, such as secrets, chosen files, and
 * drafts over 1 MB.
 */
import { useParams } from '@tanstack/react-router'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { type FieldValues, type Path, type UseFormProps, type UseFormReturn, useForm } from 'react-hook-form'
import { useMe } from '../../lib/rights.ts'
import { isSame, KeptInput } from './kept-input.ts'

/**
 * @param form name of the form, also in its `data-form` attribute
 * @param of the edited resource within its project; omit it for a new one
 */
export function useKept(form: string, of?: string): KeptInput {
  const { account, person } = useMe()
  const { project }: { project?: string } = useParams({ strict: false })
  // The storage key is hashed, because it may contain license keys. Each user has their own drafts.
  const key = `draft.${hashOf(JSON.stringify([account?.id, person?.id, project, form, of]))}`
  const [kept] = useState(() => new KeptInput(form, key))
  return kept
}

/** Like `useState`, but keeps the value. */
export function useKeptState<T>(kept: KeptInput, name: string, first: T) {
  return useNoted(kept, name, first, false)
}

/** Used for secrets and files. The value isn't kept, so the form asks before the user leaves it. */
export function useUnkeptState<T>(kept: KeptInput, name: string, first: T) {
  return useNoted(kept, name, first, true)
}

/** Tracks input that isn't kept, such as a chosen file. */
export function useUnkept(kept: KeptInput, name: string, isDirty: boolean): void {
  useEffect(() => kept.note(name, { value: isDirty, first: false, isUnkept: true, reset: () => {} }))
}

function useNoted<T>(
  kept: KeptInput,
  name: string,
  first: T,
  isUnkept: boolean,
): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState(() => kept.valueOf(name, first))
  useEffect(() => kept.note(name, { value, first, isUnkept, reset: () => setValue(first) }))
  useEffect(() => () => kept.drop(name), [kept, name])
  return [value, setValue]
}

type KeptFormProps<T extends FieldValues> = UseFormProps<T> & {
  readonly of?: string | undefined
  /** Names of fields with secrets, whose values aren't kept. */
  readonly unkept?: readonly (keyof T & string)[]
}

type KeptForm<T extends FieldValues> = UseFormReturn<T> & { readonly kept: KeptInput }

/** Like `useForm`, but keeps the changed values. The form or dialog needs `kept`. */
export function useKeptForm<T extends FieldValues>(
  name: string,
  { of, unkept = [], ...options }: KeptFormProps<T>,
) {
  const kept = useKept(name, of)
  const form = useForm<T>(options)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form and its fields stay the same.
  useEffect(() => {
    const restored = kept.valueOf<Partial<T>>('values', {})
    for (const [field, value] of Object.entries(restored))
      form.setValue(field as Path<T>, value, { shouldDirty: true })
    const note = (values: object, dirty: object) => {
      const first = form.control._defaultValues
      const reset = () => form.reset(undefined, { keepDirtyValues: false })
      const isSecret = (field: string) => unkept.includes(field)
      const listed = (all: object) => without(all, isSecret)
      const secrets = Object.keys(dirty).filter(isSecret)
      kept.note('values', { value: listed(values), first: listed(first), isUnkept: false, reset })
      kept.note('secrets', { value: secrets, first: [], isUnkept: true, reset })
    }
    note(form.getValues(), {})
    const stop = form.subscribe({
      formState: { values: true, dirtyFields: true },
      callback: ({ values, dirtyFields = {} }) => note(values, dirtyFields),
    })
    return () => {
      stop()
      kept.drop('values')
      kept.drop('secrets')
    }
  }, [kept])
  return Object.assign(form, { kept })
}

/** Shows the saved values, except in fields that have changed since they were sent. */
export function showSaved<T extends FieldValues>(form: KeptForm<T>, sent: T, saved: T): void {
  form.kept.forgetSent('values', sent)
  const now = form.getValues()
  form.reset(saved, { keepDirtyValues: false })
  for (const name of Object.keys(saved) as Path<T>[])
    if (!isSame(now[name], sent[name])) form.setValue(name, now[name], { shouldDirty: true })
}

function without(values: object, isLeftOut: (name: string) => boolean): object {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isLeftOut(name)))
}

/** FNV-1a is sufficient for naming drafts. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash.toString(36)
}
