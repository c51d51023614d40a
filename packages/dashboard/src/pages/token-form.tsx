/** What a token may do: for a new one, and for one that exists. */
import { useId, useState } from 'react'
import { access, type NewToken, type Token } from '../access-api.ts'
import { errorsOfFields, useCall, useChange } from '../api.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { ProjectPicker } from '../parts/project-picker.tsx'
import { ScopePicker } from '../parts/scope-picker.tsx'
import { text } from '../text.ts'
import { MadeDialog } from './token-made.tsx'

const DAY_MS = 86_400_000

type Draft = {
  readonly name: string
  readonly scopes: ReadonlySet<string>
  readonly projects: readonly string[] | null
  readonly networks: string
}
const EMPTY: Draft = { name: '', scopes: new Set(), projects: null, networks: '' }

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const id = useId()
  const [draft, setDraft] = useState(EMPTY)
  const [days, setDays] = useState(90)
  const [missing, setMissing] = useState('')
  const create = useChange(() =>
    access.newToken(call, { ...bodyOf(draft), expires_at: days === 0 ? null : Date.now() + days * DAY_MS }),
  )
  if (create.data) return <MadeDialog title={text.tokenMade} made={create.data} onClose={onClose} />
  const submit = () => {
    setMissing(missingIn(draft))
    if (missingIn(draft) === '') create.mutate(undefined)
  }
  return (
    <FormDialog
      title={text.newToken}
      submit={text.createToken}
      isWide
      isPending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <TokenFields draft={draft} onChange={setDraft} missing={missing} error={create.error} />
      <div className="field">
        <label htmlFor={id}>{text.expiry}</label>
        <select id={id} value={days} onChange={(event) => setDays(Number(event.target.value))}>
          {text.expiries.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </div>
    </FormDialog>
  )
}

export function EditTokenDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const call = useCall()
  const [draft, setDraft] = useState<Draft>({
    name: token.name,
    scopes: new Set(token.scopes),
    projects: token.projects,
    networks: token.networks?.join('\n') ?? '',
  })
  const [missing, setMissing] = useState('')
  const edit = useChange(() => access.editToken(call, token.id, bodyOf(draft)))
  const submit = () => {
    setMissing(missingIn(draft))
    if (missingIn(draft) === '') edit.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={text.editToken(token.name)}
      submit={text.save}
      isWide
      isPending={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <TokenFields draft={draft} onChange={setDraft} missing={missing} error={edit.error} />
    </FormDialog>
  )
}

type Fields = {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly missing: string
  readonly error: unknown
}

function TokenFields({ draft, onChange, missing, error }: Fields) {
  const id = useId()
  const errors = errorsOfFields(error)
  return (
    <>
      <Field
        label={text.tokenName}
        hint={text.tokenNameHint}
        required
        autoFocus
        error={errors.name}
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.target.value })}
      />
      <ScopePicker chosen={draft.scopes} onChange={(scopes) => onChange({ ...draft, scopes })} />
      <ProjectPicker chosen={draft.projects} onChange={(projects) => onChange({ ...draft, projects })} />
      <div className="field">
        <label htmlFor={id}>
          {text.networks} <span className="hint">({text.optional})</span>
        </label>
        <textarea
          id={id}
          aria-describedby={`${id}-hint`}
          spellCheck={false}
          value={draft.networks}
          onChange={(event) => onChange({ ...draft, networks: event.target.value })}
        />
        <p className="hint" id={`${id}-hint`}>
          {text.networksHint}
        </p>
      </div>
      {missing !== '' && (
        <p className="complaint" role="alert">
          {missing}
        </p>
      )}
    </>
  )
}

function missingIn({ scopes, projects }: Draft): string {
  if (scopes.size === 0) return text.noRights
  return projects?.length === 0 ? text.chooseProject : ''
}

function bodyOf({ name, scopes, projects, networks }: Draft): NewToken {
  const lines = networks.split(/[\s,]+/).filter((line) => line !== '')
  return { name: name.trim(), scopes: [...scopes], projects, networks: lines.length === 0 ? null : lines }
}
