/** Sends a message to live sessions and shows their responses. */

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { text } from '../messages/text.ts'
import { Badge } from './badge.tsx'
import { ErrorMessage } from './error-message.tsx'
import { AreaField } from './fields/area-field.tsx'
import { Field } from './fields/field.tsx'
import { useFormErrors } from './fields/form-errors.ts'
import { Dialog } from './overlays/dialog.tsx'
import styles from './session-message.module.css'

export type Message = { readonly key: string; readonly data?: unknown }
/** `response` is set if the message was processed, `reason` if not. */
export type Answer = {
  readonly session_id: string
  readonly processed: boolean
  readonly response?: unknown
  readonly reason?: string
}
type Props = {
  readonly title: string
  readonly send: (message: Message) => Promise<readonly Answer[]>
  readonly onClose: () => void
}

export function SessionMessage({ title, send, onClose }: Props) {
  const t = text.sessions
  const sending = useMutation({ mutationFn: send })
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="hint">{t.messageHint}</p>
      <Form {...sending} onSend={sending.mutate} />
      {sending.data && <Answers answers={sending.data} />}
    </Dialog>
  )
}

type FormProps = {
  readonly isPending: boolean
  readonly isSuccess: boolean
  readonly error: unknown
  readonly onSend: (message: Message) => void
}

function Form({ isPending, isSuccess, error, onSend }: FormProps) {
  const t = text.sessions
  const [key, setKey] = useState('')
  const [data, setData] = useState('')
  const errors = useFormErrors(error)
  const parsed = parsedOf(data)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isRight = errors.check({ key: key.trim() === '' ? t.noName : undefined })
    if (isRight && parsed !== undefined) onSend({ key: key.trim(), ...parsed })
  }
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <Field
        label={t.name}
        hint={t.nameHint}
        error={errors.of('key')}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <AreaField
        label={t.data}
        hint={t.dataHint}
        error={parsed === undefined ? t.noJson : errors.of('data')}
        value={data}
        onChange={setData}
      />
      <ErrorMessage of={errors.rest} />
      <div className="bar end">
        <button type="submit" className="main" disabled={isPending}>
          {isPending ? t.sending : isSuccess ? t.again : t.send}
        </button>
      </div>
    </form>
  )
}

function Answers({ answers }: { answers: readonly Answer[] }) {
  const t = text.sessions
  const done = answers.filter(({ processed }) => processed).length
  return (
    <section className="stack tight" aria-label={t.answers}>
      <p role="status">{answers.length === 0 ? t.nobody : t.answered(done, answers.length)}</p>
      <ul className={styles.answers}>
        {answers.map(({ session_id, processed, response, reason }) => (
          <li key={session_id}>
            <Badge tone={processed ? 'good' : 'warn'}>{processed ? t.processed : t.notProcessed}</Badge>
            <code>{session_id}</code>
            <code>{processed ? JSON.stringify(response ?? null) : reason}</code>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Returns an empty object for empty input, and undefined for invalid JSON. */
function parsedOf(typed: string): { readonly data?: unknown } | undefined {
  if (typed.trim() === '') return {}
  try {
    return { data: JSON.parse(typed) }
  } catch {
    return undefined
  }
}
