/**
 * The form that edits a user. Untouched fields follow changes made elsewhere. Typed input is kept, even after
 * the user leaves the form.
 */
import { v1UsersEdit } from '@scriptward/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Form } from '../../../components/fields/form.tsx'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import type { KeptInput } from '../../../components/fields/kept-input.ts'
import { useKept } from '../../../components/fields/use-kept.ts'
import { GuardedButton } from '../../../components/guarded.tsx'
import type { Toast } from '../../../components/overlays/undo-button.tsx'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { readUser, userKey, useShownUsers } from '../queries.ts'
import { changedText } from '../terms.tsx'
import type { User } from '../user.ts'
import { differenceText } from './duration.ts'
import styles from './edit.module.css'
import { Fields } from './edit-fields.tsx'
import {
  bodyOf,
  changedIn,
  type Draft,
  draftOf,
  formatMember,
  isSame,
  MEMBERS,
  type Member,
  validate,
} from './edits.ts'

type Changes = Parameters<typeof changedText>[0]
type Props = { readonly user: User; readonly onToast: (toast: Toast) => void }
/** The fields that were edited, with the values that were saved at that time. */
type Edits = { readonly typed: Partial<Draft>; readonly before: Partial<Draft> }
const NO_EDITS: Edits = { typed: {}, before: {} }

export function EditForm({ user, onToast }: Props) {
  const t = text.users
  const form = useForm<Draft>({ defaultValues: draftOf(user) })
  const kept = useKept('user', user.key)
  const { changed, changedElsewhere, begin } = useTyped(form, user, kept)
  const edit = useEdit(user, (next, changes) => {
    kept.forget(() => begin(next))
    const words = changedText(changes)
    onToast({ title: words === '' ? t.saved : text.plans.savedWith(words) })
  })
  const errors = useFormErrors(edit.error, { chat_already_has_key: 'chat_id' })
  const submit = form.handleSubmit((draft) => {
    const body = bodyOf(draft, user)
    if (errors.check(validate(draft, user)) && Object.keys(body).length > 0) edit.mutate(body)
  })
  return (
    <Form kept={kept} hasDiscard className={styles.form} onSubmit={submit}>
      <Fields form={form} user={user} errorOf={errors.of} />
      {changedElsewhere.length > 0 && (
        <Meanwhile user={user} fields={changedElsewhere} onDiscard={() => kept.discard()} />
      )}
      <ErrorMessage of={errors.rest} />
      {changed.length > 0 && (
        <SaveBar words={wordsOf(changed, form.watch(), user)} count={changed.length}>
          <button type="button" className="quiet" onClick={() => kept.discard()}>
            {t.discard}
          </button>
          <GuardedButton needs="users:write" className="main" type="submit" disabled={edit.isPending}>
            {t.save}
          </GuardedButton>
        </SaveBar>
      )}
    </Form>
  )
}

type BarProps = { readonly words: string; readonly count: number; readonly children: ReactNode }

function SaveBar({ words, count, children }: BarProps) {
  return (
    <div className={styles.save}>
      <p role="status">
        <strong>{recordText.form.changes(count)}</strong> <span className="hint">{words}</span>
      </p>
      <div className="bar">{children}</div>
    </div>
  )
}

function wordsOf(changed: readonly Member[], draft: Draft, user: User): string {
  const names = changed.map((name) => text.users.members[name])
  const difference = changed.includes('duration') ? differenceText(draft.duration, user) : undefined
  return names
    .map((name) =>
      name === text.users.members.duration && difference !== undefined ? `${name}: ${difference}` : name,
    )
    .join(', ')
}

type MeanwhileProps = {
  readonly user: User
  readonly fields: readonly Member[]
  readonly onDiscard: () => void
}

function Meanwhile({ user, fields, onDiscard }: MeanwhileProps) {
  const t = text.users
  return (
    <div className="notice warn" role="alert">
      <div>
        <strong>{t.meanwhile}</strong>
        <ul>
          {fields.map((name) => (
            <li key={name}>
              {t.members[name]}: {formatMember(user, name)}
            </li>
          ))}
        </ul>
      </div>
      <button type="button" onClick={onDiscard}>
        {t.takeTheirs}
      </button>
    </div>
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
    // The user may have been removed, so it is fetched again.
    onError: () => queries.invalidateQueries({ queryKey: userKey(user.key) }),
  })
}

/** Tracks which fields were typed in, restores earlier input, and stores new input. */
function useTyped(form: UseFormReturn<Draft>, user: User, kept: KeptInput) {
  const base = useRef(draftOf(user))
  const [isRead, setIsRead] = useState(false)
  const draft = form.watch()
  const now = draftOf(user)
  const differs = MEMBERS.filter((name) => !isSame(base.current, now, name))
  const isTyped = (name: Member) => !isSame(draft, base.current, name)
  const typed = MEMBERS.filter(isTyped)
  const begin = (next: User) => {
    base.current = draftOf(next)
    form.reset(base.current)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: restores once, when the form appears.
  useEffect(() => {
    const edits = kept.valueOf('edits', NO_EDITS)
    for (const name of MEMBERS.filter((each) => edits.typed[each] !== undefined)) {
      if (edits.before[name] !== undefined) Object.assign(base.current, { [name]: edits.before[name] })
      form.setValue(name, edits.typed[name] as never, { shouldDirty: true })
    }
    setIsRead(true)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: adopts an updated user once, not on each keystroke.
  useEffect(() => {
    for (const name of differs.filter((each) => !isTyped(each))) {
      Object.assign(base.current, { [name]: now[name] })
      form.resetField(name, { defaultValue: now[name] as never })
    }
  }, [user])
  useEffect(() => {
    // Earlier input must be restored before new input overwrites it.
    if (!isRead) return
    const value = { typed: pick(draft, typed), before: pick(base.current, typed) }
    kept.note('edits', { value, first: NO_EDITS, isUnkept: false, reset: () => begin(user) })
  })
  return { changed: changedIn(draft, user).filter(isTyped), changedElsewhere: differs.filter(isTyped), begin }
}

function pick(draft: Draft, names: readonly Member[]): Partial<Draft> {
  return Object.fromEntries(names.map((name) => [name, draft[name]]))
}
