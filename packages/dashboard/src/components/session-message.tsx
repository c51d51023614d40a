/** Sends a message to live sessions and shows their responses. */

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { jsonError } from '../lib/json-error.ts'
import { keepMessageName, messageNames } from '../lib/message-names.ts'
import { text } from '../messages/text.ts'
import { useProject } from '../queries/projects.ts'
import { Badge } from './badge.tsx'
import { ErrorMessage } from './error-message.tsx'
import { AreaField } from './fields/area-field.tsx'
import { Field } from './fields/field.tsx'
import { Form } from './fields/form.tsx'
import { useFormErrors } from './fields/form-errors.ts'
import type { KeptInput } from './fields/kept-input.ts'
import { Segments } from './fields/segments.tsx'
import { useKept, useKeptState } from './fields/use-kept.ts'
import { Dialog } from './overlays/dialog.tsx'
import styles from './session-message.module.css'

export type Message = { readonly key: string; readonly data?: unknown }
/** `response` is set if the message was processed; otherwise, `reason` is set. */
export type Answer = {
  readonly session_id: string
  readonly processed: boolean
  readonly response?: unknown
  readonly reason?: string
}
type Data = { readonly format: 'text' | 'json'; readonly typed: string }
const FORMATS = [
  ['text', text.sessions.formats.text],
  ['json', text.sessions.formats.json],
] as const
type Props = {
  readonly title: string
  readonly send: (message: Message) => Promise<readonly Answer[]>
  readonly onClose: () => void
}

export function SessionMessage({ title, send, onClose }: Props) {
  const t = text.sessions
  const { id } = useProject()
  const kept = useKept('session-message')
  const sending = useMutation({
    mutationFn: async (message: Message) => {
      const answers = await send(message)
      if (answers.some(({ processed }) => processed)) keepMessageName(id, message.key)
      return answers
    },
    onSuccess: () => kept.forget(),
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="hint">{t.messageHint}</p>
      <MessageForm {...sending} kept={kept} names={messageNames(id)} onSend={sending.mutate} />
      {sending.data && <Answers answers={sending.data} />}
    </Dialog>
  )
}

type FormProps = {
  readonly kept: KeptInput
  readonly isPending: boolean
  readonly isSuccess: boolean
  readonly error: unknown
  /** Names of messages that a script has handled before. */
  readonly names: readonly string[]
  readonly onSend: (message: Message) => void
}

function MessageForm({ kept, isPending, isSuccess, error, names, onSend }: FormProps) {
  const t = text.sessions
  const [key, setKey] = useKeptState(kept, 'key', '')
  const [data, setData] = useKeptState<Data>(kept, 'data', { format: 'text', typed: '' })
  const errors = useFormErrors(error)
  const list = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = { key: key.trim() === '' ? t.noName : undefined, data: wrongData(data) }
    if (errors.check(found)) onSend({ key: key.trim(), ...dataOf(data) })
  }
  return (
    <Form kept={kept} onSubmit={submit} noValidate>
      <Field
        label={t.name}
        hint={names.length === 0 ? t.nameHint : t.namePick}
        error={errors.of('key')}
        list={list}
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Segments
        label={t.format}
        options={FORMATS}
        chosen={data.format}
        onChoose={(format) => setData({ ...data, format })}
      />
      <AreaField
        label={t.data}
        hint={t.dataHints[data.format]}
        error={errors.of('data')}
        value={data.typed}
        onChange={(typed) => setData({ ...data, typed })}
      />
      <ErrorMessage of={errors.rest} />
      <div className="bar end">
        <button type="submit" className="main" disabled={isPending}>
          {isPending ? t.sending : isSuccess ? t.again : t.send}
        </button>
      </div>
    </Form>
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

function wrongData({ format, typed }: Data): string | undefined {
  if (format === 'text' || typed.trim() === '') return undefined
  const position = jsonError(typed)
  return position && text.sessions.noJson(position.line, position.column)
}

function dataOf({ format, typed }: Data): { readonly data?: unknown } {
  if (typed.trim() === '') return {}
  return { data: format === 'text' ? typed : JSON.parse(typed) }
}
