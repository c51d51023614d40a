/** The scripts of a project: upload, new version, on and off, the line that users run. */
import {
  type V1ProjectScriptsListResponse,
  v1ObfuscatorOptions,
  v1ProjectScriptsCreate,
  v1ProjectScriptsList,
  v1ScriptsLoaderFile,
  v1ScriptsRemove,
  v1ScriptsToggle,
  v1ScriptsUpdate,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ChangeEvent, type FormEvent, useId, useState } from 'react'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { saveText } from '../save-text.ts'
import { text } from '../text.ts'

type Script = V1ProjectScriptsListResponse['scripts'][number]

export function ProjectScripts({ projectId }: { projectId: string }) {
  const call = useCall()
  const path = { project_id: projectId }
  const list = useQuery({
    queryKey: ['scripts', projectId],
    queryFn: async () => (await v1ProjectScriptsList({ ...call, path })).data.scripts,
  })
  return (
    <section className="stack">
      <h2>{text.scripts}</h2>
      <Complaint of={list.error} />
      {list.data?.length === 0 && <p className="hint">{text.noScripts}</p>}
      <ul className="cards">
        {list.data?.map((script) => (
          <ScriptCard key={script.id} script={script} />
        ))}
      </ul>
      <UploadForm projectId={projectId} />
    </section>
  )
}

const WRITE = 'scripts:write'

function ScriptCard({ script }: { script: Script }) {
  const call = useCall()
  const path = { script_id: script.id }
  const toggle = useChange((state: boolean) => v1ScriptsToggle({ ...call, path, body: { state } }))
  const update = useChange((source: string) => v1ScriptsUpdate({ ...call, path, body: { script: source } }))
  const keep = useChange(async () =>
    saveText(`${script.name}.loader.lua`, (await v1ScriptsLoaderFile({ ...call, path })).data),
  )
  const [isAsked, setIsAsked] = useState(false)
  const fileId = useId()
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (file) update.mutate(await file.text())
  }
  return (
    <li>
      <strong>{script.name}</strong>
      <span className={script.enabled ? 'badge on' : 'badge'}>
        {script.enabled ? text.enabled : text.disabled}
      </span>
      <span className="hint">{text.executionCount(script.total_executions)}</span>
      <span className="actions">
        <CopyButton value={loaderLine(script.id)} label={text.copyLoader} />
        <button type="button" title={text.loaderFileHint} onClick={() => keep.mutate(undefined)}>
          {text.loaderFile}
        </button>
        <label htmlFor={fileId} className="button">
          {update.isPending ? text.uploading : text.newVersion}
        </label>
        <input id={fileId} type="file" accept=".lua,.luau,.txt" className="unseen" onChange={choose} />
        <GuardedButton needs={WRITE} onClick={() => toggle.mutate(!script.enabled)}>
          {script.enabled ? text.disable : text.enable}
        </GuardedButton>
        <GuardedButton needs={WRITE} className="danger" onClick={() => setIsAsked(true)}>
          {text.remove}
        </GuardedButton>
      </span>
      <Complaint of={toggle.error ?? update.error ?? keep.error} />
      {isAsked && (
        <ConfirmDialog
          title={text.removeScriptTitle(script.name)}
          words={text.removeScript}
          submit={text.remove}
          onConfirm={() => v1ScriptsRemove({ ...call, path })}
          onClose={() => setIsAsked(false)}
        />
      )}
    </li>
  )
}

function UploadForm({ projectId }: { projectId: string }) {
  const call = useCall()
  const [name, setName] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [preset, setPreset] = useState('')
  const create = useChange(async (given: File) =>
    v1ProjectScriptsCreate({
      ...call,
      path: { project_id: projectId },
      body: {
        name: name || given.name,
        script: await given.text(),
        ...(preset === '' ? {} : { options: { preset } }),
      },
    }),
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const reset = () => {
      form.reset()
      setName('')
      setFile(null)
    }
    if (file) create.mutate(file, { onSuccess: reset })
  }
  return (
    <form onSubmit={submit} className="row">
      <Field
        label={text.file}
        type="file"
        accept=".lua,.luau,.txt"
        required
        onChange={(event) => setFile(event.target.files?.[0] ?? null)}
      />
      <Field
        label={text.name}
        value={name}
        placeholder={file?.name ?? ''}
        onChange={(event) => setName(event.target.value)}
      />
      <PresetField value={preset} onChange={setPreset} />
      <button type="submit" className="main" disabled={create.isPending}>
        {create.isPending ? text.uploading : text.upload}
      </button>
      <Complaint of={create.error} />
    </form>
  )
}

function PresetField({ value, onChange }: { value: string; onChange: (preset: string) => void }) {
  const call = useCall()
  const id = useId()
  const list = useQuery({
    queryKey: ['obfuscator options'],
    queryFn: async () => (await v1ObfuscatorOptions({ ...call })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const chosen = value || list.data?.default_preset
  return (
    <div className="field">
      <label htmlFor={id}>{text.preset}</label>
      <select id={id} value={chosen} onChange={(event) => onChange(event.target.value)}>
        {list.data?.presets.map((each) => (
          <option key={each.id} value={each.id} title={each.description}>
            {each.name}
          </option>
        ))}
      </select>
      <Complaint of={list.error} />
    </div>
  )
}

function loaderLine(scriptId: string): string {
  const address = `${location.origin}/client/v1/loader/${scriptId}`
  return `script_key = "YOUR KEY"\nloadstring(game:HttpGet("${address}"))()`
}
