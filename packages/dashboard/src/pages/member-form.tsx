/** Which rights a person gets: a role, or a list of their own, in some projects or in all. */
import { useId, useState } from 'react'
import { access, type Member, type Rights } from '../access-api.ts'
import { errorsOfFields, useCall, useChange } from '../api.ts'
import { Dialog, FormDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { ProjectPicker } from '../parts/project-picker.tsx'
import { ScopePicker } from '../parts/scope-picker.tsx'
import { Secret } from '../parts/secret.tsx'
import { useMe, useScopes } from '../rights.ts'
import { text } from '../text.ts'

const MEMBER: Rights = { role: 'support', scopes: [], projects: null, max_keys: null }
const FIRST_MAX_KEYS = 100

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const [email, setEmail] = useState('')
  const [rights, setRights] = useState(MEMBER)
  const [missing, setMissing] = useState('')
  const invite = useChange(() => access.invite(call, { email: email.trim(), ...bodyOf(rights) }))
  if (invite.data)
    return (
      <Dialog title={text.invitationMade} onClose={onClose}>
        <h3>{text.invitationLink}</h3>
        <Secret value={invite.data.link} hint={text.invitationMailed(email.trim())} />
        <div className="bar end">
          <button type="button" className="main" onClick={onClose}>
            {text.done}
          </button>
        </div>
      </Dialog>
    )
  const submit = () => {
    setMissing(missingIn(rights))
    if (missingIn(rights) === '') invite.mutate(undefined)
  }
  return (
    <FormDialog
      title={text.inviteTitle}
      submit={text.sendInvitation}
      isWide
      isPending={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={text.email}
        type="email"
        autoComplete="off"
        required
        autoFocus
        hint={text.inviteHint}
        error={errorsOfFields(invite.error).email}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RightsFields rights={rights} onChange={setRights} missing={missing} />
    </FormDialog>
  )
}

export function EditMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const call = useCall()
  const { role, scopes, projects, max_keys } = member
  const [rights, setRights] = useState<Rights>({ role, scopes, projects, max_keys })
  const [missing, setMissing] = useState('')
  const edit = useChange(() => access.editMember(call, member.id, bodyOf(rights)))
  const submit = () => {
    setMissing(missingIn(rights))
    if (missingIn(rights) === '') edit.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={text.editMember(member.person.name || member.person.email)}
      submit={text.save}
      isWide
      isPending={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <RightsFields rights={rights} onChange={setRights} missing={missing} />
    </FormDialog>
  )
}

type Fields = {
  readonly rights: Rights
  readonly onChange: (rights: Rights) => void
  readonly missing: string
}

function RightsFields({ rights, onChange, missing }: Fields) {
  const { role, scopes, projects, max_keys } = rights
  const isReseller = role === 'reseller'
  return (
    <>
      <RoleCards role={role} onChange={(chosen) => onChange(rightsOfRole(chosen, rights))} />
      {role === 'custom' ? (
        <ScopePicker
          chosen={new Set(scopes)}
          onChange={(chosen) => onChange({ ...rights, scopes: [...chosen] })}
        />
      ) : (
        <RoleRights role={role} />
      )}
      {role !== 'owner' && (
        <ProjectPicker
          key={String(isReseller)}
          isSingle={isReseller}
          chosen={projects}
          onChange={(chosen) => onChange({ ...rights, projects: chosen })}
        />
      )}
      {isReseller && (
        <Field
          label={text.maxKeys}
          type="number"
          min={1}
          required
          value={max_keys ?? ''}
          onChange={(event) => onChange({ ...rights, max_keys: Number(event.target.value) || null })}
        />
      )}
      {missing !== '' && (
        <p className="complaint" role="alert">
          {missing}
        </p>
      )}
    </>
  )
}

function RoleCards({ role, onChange }: { role: string; onChange: (role: string) => void }) {
  const id = useId()
  const me = useMe()
  return (
    <fieldset className="stack tight">
      <legend>{text.role}</legend>
      <div className="choices">
        {Object.entries(text.roleNames).map(([name, words]) => (
          <label className="choice" key={name}>
            <input
              type="radio"
              className="unseen"
              name={id}
              checked={role === name}
              disabled={name === 'owner' && me.role !== 'owner'}
              onChange={() => onChange(name)}
            />
            <span className="card">
              <strong>{words}</strong>
              <span className="hint">{text.roleTexts[name]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function RoleRights({ role }: { role: string }) {
  const { roles } = useScopes()
  const scopes = roles.find(({ name }) => name === role)?.scopes ?? []
  return (
    <details>
      <summary>{text.whatItMay}</summary>
      <p className="hint">{scopes.filter((one) => one !== 'admin').join(', ')}</p>
    </details>
  )
}

function rightsOfRole(role: string, before: Rights): Rights {
  if (role === 'reseller') return { role, scopes: [], projects: [], max_keys: FIRST_MAX_KEYS }
  const projects = role === 'owner' || before.role === 'reseller' ? null : before.projects
  return { role, scopes: role === 'custom' ? before.scopes : [], projects, max_keys: null }
}

function missingIn({ role, scopes, projects }: Rights): string {
  if (role === 'custom' && scopes.length === 0) return text.noRights
  return projects?.length === 0 ? text.chooseProject : ''
}

function bodyOf({ role, scopes, projects, max_keys }: Rights): Partial<Rights> & { role: string } {
  return { role, projects, max_keys, ...(role === 'custom' ? { scopes } : {}) }
}
