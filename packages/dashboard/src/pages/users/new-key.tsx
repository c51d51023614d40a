/** A new key for one user. */
import { v1ProjectUsersCreate } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Controller, useForm } from 'react-hook-form'
import { useCall } from '../../api.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useFormErrors } from '../../parts/form-errors.ts'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'
import { type Expiry, NEVER, timeOf } from './expiry.ts'
import { ExpiryField } from './expiry-field.tsx'
import { readUser, useShownUsers } from './lists.ts'
import type { User } from './user.ts'

type Draft = { readonly note: string; readonly chat_id: string; readonly expiry: Expiry }
const EMPTY: Draft = { note: '', chat_id: '', expiry: NEVER }
export const LONGEST_NOTE = 255
export const LONGEST_CHAT_ID = 100

type Given = { readonly onMade: (user: User) => void; readonly onClose: () => void }

export function NewKey({ onMade, onClose }: Given) {
  const t = text.users
  const form = useForm<Draft>({ defaultValues: EMPTY })
  const create = useCreate(onMade)
  const errors = useFormErrors(create.error)
  const submit = form.handleSubmit((draft) => {
    const expiry = timeOf(draft.expiry) === undefined ? t.noTime : undefined
    if (errors.check({ key_expires: expiry })) create.mutate(draft)
  })
  return (
    <FormDialog
      title={t.newKey}
      submit={t.createKey}
      isPending={create.isPending}
      error={errors.rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t.note}
        hint={t.noteHint}
        maxLength={LONGEST_NOTE}
        dir="auto"
        error={errors.of('note')}
        {...form.register('note')}
      />
      <Field
        label={t.chatId}
        hint={t.chatIdHint}
        maxLength={LONGEST_CHAT_ID}
        error={errors.of('chat_id')}
        {...form.register('chat_id')}
      />
      <Controller
        control={form.control}
        name="expiry"
        render={({ field: { value, onChange } }) => (
          <ExpiryField label={t.expiry} value={value} onChange={onChange} error={errors.of('key_expires')} />
        )}
      />
    </FormDialog>
  )
}

function useCreate(onMade: Given['onMade']) {
  const call = useCall()
  const { id } = useProject()
  const shown = useShownUsers()
  // The key exists from here on, even when reading it fails: then it must not be made a second time.
  const [made, setMade] = useState<string>()
  const createKey = async ({ note, chat_id, expiry }: Draft) => {
    const key_expires = timeOf(expiry) ?? 0
    const body = {
      ...(note.trim() !== '' && { note: note.trim() }),
      ...(chat_id.trim() !== '' && { chat_id: chat_id.trim() }),
      ...(key_expires !== 0 && { key_expires }),
    }
    return (await v1ProjectUsersCreate({ ...call, path: { project_id: id }, body })).data.user_key
  }
  return useMutation({
    mutationFn: async (draft: Draft) => {
      const key = made ?? (await createKey(draft))
      setMade(key)
      return readUser(call, key)
    },
    onSuccess: (user) => {
      void shown.again()
      onMade(user)
    },
  })
}
