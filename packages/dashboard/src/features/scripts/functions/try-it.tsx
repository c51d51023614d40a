/** Runs a server function with test arguments and shows the result. */
import { type V1ServerFunctionsTryResponse, v1ServerFunctionsTry } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { AreaField } from '../../../components/fields/area-field.tsx'
import { Form } from '../../../components/fields/form.tsx'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { GuardedButton } from '../../../components/guarded.tsx'
import { Panel } from '../../../components/panel.tsx'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { type Script, WRITE } from '../queries.ts'
import { NOTHING, type Trial, trialIn } from './draft.ts'

type Props = {
  readonly script: Script
  readonly name: string
  /** Whether there are unsaved changes. */
  readonly isUnsaved: boolean
}

export function TryIt({ script, name, isUnsaved }: Props) {
  const t = text.functions
  const kept = useKept('function-call', `${script.id} ${name}`)
  const [draft, setDraft] = useKeptState(kept, 'call', NOTHING)
  const attempt = useTry(script, name)
  const errors = useFormErrors(attempt.error)
  const send = (event: FormEvent) => {
    event.preventDefault()
    const { errors: found, trial } = trialIn(draft)
    if (errors.check(found) && !attempt.isPending) attempt.mutate(trial)
  }
  return (
    <Panel title={t.tryTitle} hint={t.tryHint}>
      <Form kept={kept} onSubmit={send} noValidate>
        <AreaField
          label={t.values}
          hint={t.valuesHint}
          error={errors.of('values')}
          value={draft.values}
          onChange={(values) => setDraft({ ...draft, values })}
        />
        <AreaField
          label={t.run}
          hint={t.runHint}
          error={errors.of('run')}
          value={draft.run}
          onChange={(run) => setDraft({ ...draft, run })}
        />
        <ErrorMessage of={errors.rest} />
        {isUnsaved && <p className="notice">{t.unsaved}</p>}
        <div className="bar end">
          <GuardedButton needs={WRITE} type="submit" disabled={attempt.isPending}>
            {attempt.isPending ? t.trying : t.tryButton}
          </GuardedButton>
        </div>
      </Form>
      <div role="status">{attempt.data && <Result of={attempt.data} />}</div>
    </Panel>
  )
}

function useTry(script: Script, name: string) {
  const call = useCall()
  const path = { script_id: script.id, function_name: name }
  return useMutation({
    mutationFn: async (body: Trial) => (await v1ServerFunctionsTry({ ...call, path, body })).data,
    networkMode: 'always',
  })
}

function Result({ of: { value, problem, printed, duration_ms } }: { of: V1ServerFunctionsTryResponse }) {
  const t = text.functions
  return (
    <div className="stack">
      {problem === null ? (
        <Output title={t.answer} words={JSON.stringify(value, null, 2)} />
      ) : (
        <div className="field-error">
          <p>{t.noAnswer}</p>
          <code dir="auto">{problem}</code>
        </div>
      )}
      {printed.length > 0 && <Output title={t.printed} words={printed.join('\n')} />}
      <p className="hint">{t.took(duration_ms)}</p>
    </div>
  )
}

function Output({ title, words }: { title: string; words: string }) {
  return (
    <section className="stack tight" aria-label={title}>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <pre className="printed" tabIndex={0} dir="auto">
        {words}
      </pre>
    </section>
  )
}
