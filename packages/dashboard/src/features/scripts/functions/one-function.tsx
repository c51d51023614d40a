/** Edits, saves and tests one server function. */
import { v1ServerFunctionsPut } from '@scriptward/sdk'
import { type FormEvent, type ReactNode, useMemo } from 'react'
import { CodeEditor } from '../../../components/code/code-editor.tsx'
import type { Marker } from '../../../components/code/code-mirror/props.ts'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import { GuardedButton } from '../../../components/guarded.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { text } from '../../../messages/text.ts'
import { errorsOfFields, useCall, useChange } from '../../../queries/api.ts'
import { type Script, WRITE } from '../queries.ts'
import { type Drafts, draftIn, FIRST_SOURCE, nameError } from './draft.ts'
import { useFunction, useFunctions } from './queries.ts'
import { TryIt } from './try-it.tsx'

type Props = { readonly script: Script; readonly drafts: Drafts; readonly onClose: () => void }

export function NewFunction({ script, drafts, onClose, onMade }: Props & { onMade: (name: string) => void }) {
  const t = text.functions
  const names = (useFunctions(script.id).data ?? []).map(({ name }) => name)
  const [draft, change] = draftIn(drafts, '')
  const source = draft.source ?? FIRST_SOURCE
  const name = draft.name.trim()
  const save = useSave(script)
  const errors = useFormErrors(save.error)
  const made = () => {
    change({ name: '', source: undefined })
    onMade(name)
  }
  const submit = () => {
    if (errors.check({ name: nameError(name, names), source: sourceError(source) }))
      save.mutate({ name, source }, { onSuccess: made })
  }
  return (
    <Panel title={t.newFunction} hint={t.intro} actions={<Back onClose={onClose} />}>
      <SourceForm
        source={source}
        onSource={(typed) => change({ source: typed })}
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
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
      </SourceForm>
    </Panel>
  )
}

export function OneFunction({ script, name, drafts, onClose }: Props & { name: string }) {
  const t = text.functions
  const query = useFunction(script.id, name)
  const [draft, change] = draftIn(drafts, name)
  const stored = query.data?.source ?? ''
  const source = draft.source ?? stored
  const save = useSave(script)
  const errors = useFormErrors(save.error)
  const submit = () => {
    if (!errors.check({ source: sourceError(source) })) return
    const forget = () => change((now) => (now.source === source ? { source: undefined } : {}))
    save.mutate({ name, source }, { onSuccess: forget })
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
            source={source}
            onSource={(typed) => change({ source: typed })}
            save={save}
            error={errors.of('source')}
            rest={errors.rest}
            onSubmit={submit}
          />
        </QueryBoundary>
      </Panel>
      <TryIt
        script={script}
        name={name}
        draft={draft}
        isUnsaved={query.data !== undefined && source !== stored}
        onChange={change}
      />
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

function useSave(script: Script) {
  const call = useCall()
  const showToast = useToast()
  return useChange(async ({ name, source }: { name: string; source: string }) => {
    const path = { script_id: script.id, function_name: name }
    await v1ServerFunctionsPut({ ...call, path, body: { source } })
    showToast({ title: text.functions.saved(name) })
  })
}

type FormProps = {
  readonly source: string
  readonly onSource: (source: string) => void
  readonly save: ReturnType<typeof useSave>
  readonly error: string | undefined
  /** A save error that belongs to no field. */
  readonly rest: unknown
  readonly onSubmit: () => void
  readonly children?: ReactNode
}

function SourceForm({ source, onSource, save, error, rest, onSubmit, children }: FormProps) {
  const markers = useMemo(() => markersIn(save.error), [save.error])
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) onSubmit()
  }
  return (
    <form className="stack" onSubmit={send} noValidate>
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
    </form>
  )
}

/** Marks the line that the API error names. */
function markersIn(error: unknown): Marker[] {
  const [, line, message] = /line (\d+): (.*)$/s.exec(errorsOfFields(error).source ?? '') ?? []
  return message === undefined ? [] : [{ line: Number(line), column: 1, message }]
}
