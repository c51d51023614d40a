/** Step one: a script is dropped, chosen or pasted, and protected immediately. */
import { v1ProjectScriptsCreate } from '@scriptward/sdk'
import { type FormEvent, useId, useState } from 'react'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { AreaField } from '../../../components/fields/area-field.tsx'
import { Form } from '../../../components/fields/form.tsx'
import type { KeptInput } from '../../../components/fields/kept-input.ts'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { addressOf } from '../../../lib/address.ts'
import { readSource } from '../../../lib/read-source.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { text } from '../../../messages/text.ts'
import { useCall, useChange } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import styles from './set-up.module.css'

type Draft = { readonly name: string; readonly source: string }
type Script = { readonly id: string; readonly name: string }

export function ScriptStep({ script }: { script: Script | undefined }) {
  const { id } = useProject()
  const refusal = useRefusal('scripts:write')
  if (script)
    return (
      <p>
        {text.overview.setUp.protected(script.name)}{' '}
        <a href={addressOf.script(id, script.id)}>{text.overview.setUp.openScript}</a>
      </p>
    )
  return refusal === undefined ? <Upload /> : <p className="hint">{refusal}</p>
}

function Upload() {
  const t = text.overview.setUp
  const call = useCall()
  const { id } = useProject()
  const [draft, setDraft] = useState<Draft>()
  const [error, setError] = useState<string>()
  const kept = useKept('first-script')
  const [source, setSource] = useKeptState(kept, 'source', '')
  const create = useChange(async ({ name, source }: Draft) => {
    await v1ProjectScriptsCreate({ ...call, path: { project_id: id }, body: { name, script: source } })
    kept.forget()
  })
  const protect = (next: Draft) => {
    setDraft(next)
    setSource(next.source)
    create.mutate(next)
  }
  const take = async (files: readonly File[]) => {
    const [file] = files
    if (file === undefined || files.length > 1) return setError(t.tooMany)
    const read = await readSource(file)
    if ('error' in read) return setError(read.error)
    setError(undefined)
    protect(read)
  }
  if (create.isPending && draft) return <Protecting name={draft.name} />
  return (
    <>
      <DropZone onFiles={take} />
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      {create.error !== null && draft && (
        <div className="bar">
          <ErrorMessage of={create.error} />
          <button type="button" onClick={() => protect(draft)}>
            {t.tryAgain}
          </button>
        </div>
      )}
      <Paste
        kept={kept}
        source={source}
        onSource={setSource}
        onPaste={() => protect({ name: draft?.name ?? t.pasted, source })}
      />
    </>
  )
}

function Protecting({ name }: { name: string }) {
  return (
    <p className={styles.waiting} role="status">
      <i aria-hidden="true" />
      {text.overview.setUp.protecting(name)}
    </p>
  )
}

function DropZone({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const t = text.overview.setUp
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same without dropping.
    <div
      className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      <span>{t.drop}</span>
      <span>
        <input
          id={id}
          className="unseen"
          type="file"
          accept=".lua,.luau,.txt"
          aria-label={t.fileLabel}
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
        <label className="button" htmlFor={id}>
          {t.choose}
        </label>
      </span>
    </div>
  )
}

type PasteProps = {
  readonly kept: KeptInput
  readonly source: string
  readonly onSource: (source: string) => void
  readonly onPaste: () => void
}

/** Starts with the rejected source, so that errors can be fixed in place. */
function Paste({ kept, source, onSource, onPaste }: PasteProps) {
  const t = text.overview.setUp
  const [isOpen] = useState(source !== '')
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isEmpty = source.trim() === ''
    setError(isEmpty ? t.pasteEmpty : undefined)
    if (!isEmpty) onPaste()
  }
  return (
    <details className={styles.paste} open={isOpen}>
      <summary>{t.paste}</summary>
      <Form kept={kept} className="stack tight" onSubmit={submit}>
        <AreaField label={t.pasteLabel} hint={t.pasteHint} error={error} value={source} onChange={onSource} />
        <div className="bar">
          <button type="submit" className="main">
            {t.protect}
          </button>
        </div>
      </Form>
    </details>
  )
}
