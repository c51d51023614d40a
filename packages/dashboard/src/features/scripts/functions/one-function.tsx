/** Edits, saves and tests one server function. */
import { v1ServerFunctionsPut } from '@scriptward/sdk'
import { type FormEvent, type ReactNode, useMemo } from 'react'
import { CodeEditor } from '../../../components/code/code-editor.tsx'
import type { Marker } from '../../../components/code/code-mirror/props.ts'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { Form } from '../../../components/fields/form.tsx'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import type { KeptInput } from '../../../components/fields/kept-input.ts'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { GuardedButton } from '../../../components/guarded.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { text } from '../../../messages/text.ts'
import { errorsOfFields, useCall, useChange } from '../../../queries/api.ts'
import { type Script, WRITE } from '../queries.ts'
import { FIRST_SOURCE, nameError } from './draft.ts'
import { useFunction, useFunctions } from './queries.ts'
import { TryIt } from './try-it.tsx'

type Props = { readonly script: Script; readonly onClose: () => void }

export function NewFunction({ script, onClose, onMade }: Props & { onMade: (name: string) => void }) {
  const t = text.functions
  const names = (useFunctions(script.id).data ?? []).map(({ name }) => name)
  const kept = useKept('new-function', script.id)
  const [source, setSource] = useKeptState(kept, 'source', FIRST_SOURCE)
  const [typed, setTyped] = useKeptState(kept, 'name', '')
  const name = typed.trim()
  const save = useSave(script, () => kept.forget())
  const errors = useFormErrors(save.error)
  const submit = () => {
    if (errors.check({ name: nameError(name, names), source: sourceError(source) }))
      save.mutate({ name, source }, { onSuccess: () => onMade(name) })
  }
  return (
    <Panel title={t.newFunction} hint={t.intro} actions={<Back onClose={onClose} />}>
      <SourceForm
        kept={kept}
        source={source}
        onSource={setSource}
        save={save}
        error={errors.of('source')}
        rest={errors.rest}
        onSubmit={submit}
      >
        <Field
          label={t.name}
          hint={t.nameHint}
          autoComplete="off"
          spellCheck={false}
          error={errors.of('name') ?? errors.of('function_name')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </SourceForm>
    </Panel>
  )
}

export function OneFunction({ script, name, onClose }: Props & { name: string }) {
  const t = text.functions
  const query = useFunction(script.id, name)
  const kept = useKept('function', `${script.id} ${name}`)
  // Undefined while unchanged.
  const [typed, setTyped] = useKeptState<string | undefined>(kept, 'source', undefined)
  const stored = query.data?.source ?? ''
  const source = typed ?? stored
  const save = useSave(script, (sent) => kept.forgetSent('source', sent))
  const errors = useFormErrors(save.error)
  const submit = () => {
    if (!errors.check({ source: sourceError(source) })) return
    // Keeps text that the user types during the request.
    const onSuccess = () => setTyped((now) => (now === source ? undefined : now))
    save.mutate({ name, source }, { onSuccess })
  }
  return (
    <>
      <Panel
        title={name}
        hint={
          <>
            {t.asked} <code>{`ward.ask('${name}', …)`}</code>
          </>
        }
        actions={<Back onClose={onClose} />}
      >
        <QueryBoundary query={query}>
          <SourceForm
            kept={kept}
            source={source}
            onSource={(next) => setTyped(next === stored ? undefined : next)}
            save={save}
            error={errors.of('source')}
            rest={errors.rest}
            onSubmit={submit}
          />
        </QueryBoundary>
      </Panel>
      <TryIt script={script} name={name} isUnsaved={query.data !== undefined && source !== stored} />
    </>
  )
}

function Back({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" onClick={onClose}>
      {text.functions.all}
    </button>
  )
}

function sourceError(source: string): string | undefined {
  return source.trim() === '' ? text.functions.noSource : undefined
}

/** `onSaved` is called even if the form has been closed. */
function useSave(script: Script, onSaved: (source: string) => void) {
  const call = useCall()
  const showToast = useToast()
  return useChange(async ({ name, source }: { name: string; source: string }) => {
    const path = { script_id: script.id, function_name: name }
    await v1ServerFunctionsPut({ ...call, path, body: { source } })
    onSaved(source)
    showToast({ title: text.functions.saved(name) })
  })
}

type FormProps = {
  readonly kept: KeptInput
  readonly source: string
  readonly onSource: (source: string) => void
  readonly save: ReturnType<typeof useSave>
  readonly error: string | undefined
  /** A save error that belongs to no field. */
  readonly rest: unknown
  readonly onSubmit: () => void
  readonly children?: ReactNode
}

function SourceForm({ kept, source, onSource, save, error, rest, onSubmit, children }: FormProps) {
  const markers = useMemo(() => markersIn(save.error), [save.error])
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) onSubmit()
  }
  return (
    <Form kept={kept} onSubmit={send} noValidate>
      {children}
      <div className="stack tight">
        {error !== undefined && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
        <CodeEditor label={text.functions.source} value={source} onChange={onSource} markers={markers} />
        <p className="hint">{text.functions.sourceHint}</p>
      </div>
      <ErrorMessage of={rest} />
      <div className="bar end">
        <GuardedButton needs={WRITE} type="submit" className="main" disabled={save.isPending}>
          {text.save}
        </GuardedButton>
      </div>
    </Form>
  )
}

/** Marks the line that the API error names. */
function markersIn(error: unknown): Marker[] {
  const [, line, message] = /line (\d+): (.*)$/s.exec(errorsOfFields(error).source ?? '') ?? []
  return message === undefined ? [] : [{ line: Number(line), column: 1, message }]
}
