/** The edit form of a user. Untouched fields follow changes from elsewhere; typed input is kept. */
import { v1UsersEdit } from '@scriptward/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import { GuardedButton } from '../../../components/guarded.tsx'
import type { Toast } from '../../../components/overlays/toasts.tsx'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { readUser, userKey, useShownUsers } from '../queries.ts'
import { changedText } from '../terms.tsx'
import type { User } from '../user.ts'
import { Fields } from './edit-fields.tsx'
import { bodyOf, type Draft, draftOf, formatMember, isSame, MEMBERS, validate } from './edits.ts'

type Changes = Parameters<typeof changedText>[0]
type Props = { readonly user: User; readonly onToast: (toast: Toast) => void }

export function EditForm({ user, onToast }: Props) {
  const t = text.users
  const form = useForm<Draft>({ defaultValues: draftOf(user) })
  const { changedElsewhere, takeTheirs, begin } = useMeanwhile(form, user)
  const edit = useEdit(user, (next, changed) => {
    begin(next)
    const words = changedText(changed)
    onToast({ title: words === '' ? t.saved : text.plans.savedWith(words) })
  })
  const errors = useFormErrors(edit.error, { chat_already_has_key: 'chat_id' })
  const isChanged = MEMBERS.some((name) => form.formState.dirtyFields[name] !== undefined)
  const submit = form.handleSubmit((draft) => {
    const body = bodyOf(draft, user)
    if (errors.check(validate(draft, user)) && Object.keys(body).length > 0) edit.mutate(body)
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
                  {t.members[name]}: {formatMember(user, name)}
                </li>
              ))}
            </ul>
          </div>
          <button type="button" onClick={takeTheirs}>
            {t.takeTheirs}
          </button>
        </div>
      )}
      <ErrorMessage of={errors.rest} />
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

function useEdit(user: User, onDone: (next: User, changed: Changes) => void) {
  const call = useCall()
  const queries = useQueryClient()
  const shown = useShownUsers()
  return useMutation({
    mutationFn: async (body: ReturnType<typeof bodyOf>) => {
      const { changed } = (await v1UsersEdit({ ...call, path: { user_key: user.key }, body })).data
      return { next: await readUser(call, user.key), changed }
    },
    onSuccess: ({ next, changed }) => {
      shown.put([next], [user])
      onDone(next, changed)
    },
    // The user may have been removed.
    onError: () => queries.invalidateQueries({ queryKey: userKey(user.key) }),
  })
}

/** Returns the initial form values, next to the current user. */
function useMeanwhile(form: UseFormReturn<Draft>, user: User) {
  const base = useRef(user)
  const dirty = form.formState.dirtyFields
  const differs = MEMBERS.filter((name) => !isSame(base.current, user, name))
  const changedElsewhere = differs.filter((name) => dirty[name] !== undefined)
  const begin = (next: User) => {
    base.current = next
    form.reset(draftOf(next))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: adopts an updated user once, not on each keystroke.
  useEffect(() => {
    const now = draftOf(user)
    for (const name of differs)
      if (dirty[name] === undefined) form.resetField(name, { defaultValue: now[name] })
  }, [user])
  return { changedElsewhere, begin, takeTheirs: () => begin(user) }
}
