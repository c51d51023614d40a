import { v1ProjectUsersCreate } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Controller } from 'react-hook-form'
import { AreaField } from '../../components/fields/area-field.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { OwnKeyFormat } from '../../components/fields/key-format-field.tsx'
import { useKeptForm } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { tidyFormat } from '../../lib/key-formats.ts'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type Expiry, NEVER, timeOf } from './edit/expiry.ts'
import { ExpiryField, PLANNED } from './edit/expiry-field.tsx'
import { useFirstTry } from './edit/first-try.ts'
import { PlanField } from './edit/plan-field.tsx'
import { readUser, useShownUsers } from './queries.ts'
import type { User } from './user.ts'

type Draft = {
  readonly note: string
  readonly private_note: string
  readonly chat_id: string
  readonly plan_id: string
  readonly format: string
  readonly expiry: Expiry
}
const EMPTY: Draft = { note: '', private_note: '', chat_id: '', plan_id: '', format: '', expiry: NEVER }

type Props = { readonly onMade: (user: User) => void; readonly onClose: () => void }

export function NewKey({ onMade, onClose }: Props) {
  const t = text.users
  const form = useKeptForm<Draft>('new-key', { defaultValues: EMPTY })
  const isPlanned = form.watch('plan_id') !== ''
  // Without this permission, new keys get their plan's settings.
  const mayShape = useRefusal('users:write') === undefined
  const create = useCreate((user) => form.kept.forget(() => onMade(user)))
  const errors = useFormErrors(create.error, { chat_already_has_key: 'chat_id' })
  const submit = form.handleSubmit((draft) => {
    const expiry = timeOf(draft.expiry) === undefined ? t.noTime : undefined
    if (errors.check({ key_expires: expiry })) create.mutate(draft)
  })
  return (
    <FormDialog
      kept={form.kept}
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
        dir="auto"
        error={errors.of('note')}
        {...form.register('note')}
      />
      <Field
        label={t.chatId}
        hint={t.chatIdHint}
        error={errors.of('chat_id')}
        {...form.register('chat_id')}
      />
      <PlanField error={errors.of('plan_id')} {...form.register('plan_id')} />
      {mayShape && (
        <>
          <Controller
            control={form.control}
            name="private_note"
            render={({ field: { value, onChange } }) => (
              <AreaField
                label={t.members.private_note}
                hint={t.privateNoteHint}
                error={errors.of('private_note')}
                value={value}
                onChange={onChange}
              />
            )}
          />
          <Controller
            control={form.control}
            name="expiry"
            render={({ field: { value, onChange } }) => (
              <ExpiryField
                label={t.expiry}
                {...(isPlanned && PLANNED)}
                value={value}
                onChange={onChange}
                error={errors.of('key_expires')}
              />
            )}
          />
          <OwnKeyFormat
            typed={form.watch('format')}
            error={errors.of('format')}
            {...form.register('format')}
          />
        </>
      )}
    </FormDialog>
  )
}

function useCreate(onMade: Props['onMade']) {
  const call = useCall()
  const { id } = useProject()
  const shown = useShownUsers()
  // The key exists even if fetching it fails, so the key must not be created a second time.
  const [made, setMade] = useState<string>()
  const firstTry = useFirstTry()
  const createKey = async (draft: Draft) => {
    const { note, private_note, chat_id, plan_id, format, expiry } = draft
    const key_expires = timeOf(expiry, firstTry(draft)) ?? 0
    const body = {
      ...(note.trim() !== '' && { note: note.trim() }),
      ...(private_note.trim() !== '' && { private_note: private_note.trim() }),
      ...(chat_id.trim() !== '' && { chat_id: chat_id.trim() }),
      ...(plan_id !== '' && { plan_id }),
      ...(key_expires !== 0 && { key_expires }),
      ...(format.trim() !== '' && { format: tidyFormat(format) }),
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
