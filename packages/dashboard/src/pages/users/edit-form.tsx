/**
 * Everything of a user that can be edited. What another tab or person changes meanwhile is shown: fields that were not
 * touched follow it, and what was typed stays.
 */
import { v1UsersEdit } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { useCall } from '../../api.ts'
import { Check } from '../../parts/choice-group.tsx'
import { Complaint } from '../../parts/complaint.tsx'
import { Field } from '../../parts/field.tsx'
import { useFormErrors } from '../../parts/form-errors.ts'
import { GuardedButton } from '../../parts/guarded.tsx'
import { text } from '../../text/text.ts'
import type { Said } from './change-dialog.tsx'
import { bodyOf, type Draft, draftOf, isSame, MEMBERS, type Member, shownIn, wrongIn } from './edits.ts'
import { ExpiryField } from './expiry-field.tsx'
import { readUser, useShownUsers } from './lists.ts'
import { LONGEST_CHAT_ID, LONGEST_NOTE } from './new-key.tsx'
import type { User } from './user.ts'

type Given = { readonly user: User; readonly onSaid: (said: Said) => void }

export function EditForm({ user, onSaid }: Given) {
  const t = text.users
  const form = useForm<Draft>({ defaultValues: draftOf(user) })
  const { changedElsewhere, takeTheirs, begin } = useMeanwhile(form, user)
  const edit = useEdit(user, (next) => {
    begin(next)
    onSaid({ title: t.saved })
  })
  const errors = useFormErrors(edit.error)
  const isChanged = MEMBERS.some((name) => form.formState.dirtyFields[name] !== undefined)
  const submit = form.handleSubmit((draft) => {
    const body = bodyOf(draft, user)
    if (errors.check(wrongIn(draft, body)) && Object.keys(body).length > 0) edit.mutate(body)
  })
  return (
    <form className="stack" onSubmit={submit}>
      <Fields form={form} user={user} errorOf={errors.of} />
      {changedElsewhere.length > 0 && (
        <div className="notice warn" role="alert">
          <div>
            <strong>{t.meanwhile}</strong>
            <ul>
              {changedElsewhere.map((name) => (
                <li key={name}>
                  {t.members[name]}: {shownIn(user, name)}
                </li>
              ))}
            </ul>
          </div>
          <button type="button" onClick={takeTheirs}>
            {t.takeTheirs}
          </button>
        </div>
      )}
      <Complaint of={errors.rest} />
      <div className="bar end">
        {isChanged && (
          <button type="button" onClick={() => begin(user)}>
            {t.discard}
          </button>
        )}
        <GuardedButton
          needs="users:write"
          className="main"
          type="submit"
          disabled={!isChanged || edit.isPending}
        >
          {t.save}
        </GuardedButton>
      </div>
    </form>
  )
}

function useEdit(user: User, onDone: (next: User) => void) {
  const call = useCall()
  const shown = useShownUsers()
  return useMutation({
    mutationFn: async (body: ReturnType<typeof bodyOf>) => {
      await v1UsersEdit({ ...call, path: { user_key: user.key }, body })
      return readUser(call, user.key)
    },
    onSuccess: (next) => {
      shown.put([next], [user])
      onDone(next)
    },
  })
}

/** What the form began with, beside what the user is now. */
function useMeanwhile(form: UseFormReturn<Draft>, user: User) {
  const base = useRef(user)
  const dirty = form.formState.dirtyFields
  const differs = MEMBERS.filter((name) => !isSame(base.current, user, name))
  const changedElsewhere = differs.filter((name) => dirty[name] !== undefined)
  const begin = (next: User) => {
    base.current = next
    form.reset(draftOf(next))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer user is taken over once, not with each keystroke.
  useEffect(() => {
    const now = draftOf(user)
    for (const name of differs)
      if (dirty[name] === undefined) form.resetField(name, { defaultValue: now[name] })
  }, [user])
  return { changedElsewhere, begin, takeTheirs: () => begin(user) }
}

type FieldsGiven = {
  readonly form: UseFormReturn<Draft>
  readonly user: User
  readonly errorOf: (name: Member) => string | undefined
}

function Fields({ form, user, errorOf }: FieldsGiven) {
  const t = text.users
  const field = (name: Member & keyof { [N in Member as Draft[N] extends string ? N : never]: 1 }) => ({
    label: t.members[name],
    error: errorOf(name),
    ...form.register(name),
  })
  const expiry = (name: 'key_expires' | 'blacklist_expires') => (
    <Controller
      control={form.control}
      name={name}
      render={({ field: { value, onChange } }) => (
        <ExpiryField label={t.members[name]} value={value} onChange={onChange} error={errorOf(name)} />
      )}
    />
  )
  return (
    <>
      <Field maxLength={LONGEST_NOTE} dir="auto" {...field('note')} />
      <Field maxLength={LONGEST_CHAT_ID} {...field('chat_id')} />
      {expiry('key_expires')}
      <div className="row top">
        <Field inputMode="numeric" hint={t.noLimitHint} {...field('max_instances')} />
        <Field inputMode="numeric" hint={t.noLimitHint} {...field('max_executions')} />
      </div>
      <Controller
        control={form.control}
        name="use_fingerprint"
        render={({ field: { value, onChange } }) => (
          <Check
            label={t.members.use_fingerprint}
            hint={t.useFingerprintHint}
            checked={value}
            onChange={onChange}
          />
        )}
      />
      {user.blacklisted && (
        <>
          <Field maxLength={LONGEST_NOTE} {...field('blacklist_reason')} />
          {expiry('blacklist_expires')}
        </>
      )}
    </>
  )
}
