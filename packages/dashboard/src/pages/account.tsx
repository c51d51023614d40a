/** The account: its plan, its API key, the paths that carry the key, and leaving it. */
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type AccountFacts, access } from '../access-api.ts'
import { addressOf } from '../address.ts'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { Dialog, FormDialog } from '../parts/dialog.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Secret } from '../parts/secret.tsx'
import { useMe } from '../rights.ts'
import { text } from '../text.ts'
import { exactly, when } from '../when.ts'
import { Waiting } from './trouble.tsx'

export function AccountPage() {
  const call = useCall()
  const me = useMe()
  const account = useQuery({ queryKey: ['account'], queryFn: () => access.account(call) })
  return (
    <>
      <PageTitle title={text.accountTitle} intro={me.account?.email} />
      <Waiting asked={account}>{account.data && <Facts account={account.data} />}</Waiting>
      <Leave />
    </>
  )
}

function Facts({ account }: { account: AccountFacts }) {
  const { role } = useMe()
  return (
    <>
      <section className="panel">
        <dl className="facts-list">
          <dt>{text.accountMail}</dt>
          <dd>{account.email}</dd>
          <dt>{text.plan}</dt>
          <dd>
            {account.tier} · {text.planEnds(exactly(account.plan_expires))}
          </dd>
          <dt>{text.yourRole}</dt>
          <dd>{role === null ? '' : (text.roleNames[role] ?? role)}</dd>
        </dl>
      </section>
      <Key />
      <PathKey account={account} />
    </>
  )
}

function Key() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section className="panel">
      <header>
        <h2>{text.keyTitle}</h2>
        <p className="hint">{text.keyIntro}</p>
      </header>
      <div className="bar">
        <GuardedButton needs="account:write" onClick={() => setIsOpen(true)}>
          {text.replaceKey}
        </GuardedButton>
      </div>
      {isOpen && <ReplaceKey onClose={() => setIsOpen(false)} />}
    </section>
  )
}

function ReplaceKey({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const [overlap, setOverlap] = useState(0)
  const replace = useChange(() => access.replaceKey(call, overlap))
  if (replace.data)
    return (
      <Dialog title={text.newKeyTitle} onClose={onClose}>
        <Secret value={replace.data.api_key} />
        <div className="bar end">
          <button type="button" className="main" onClick={onClose}>
            {text.done}
          </button>
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={text.replaceTitle}
      submit={text.replace}
      isDanger
      isPending={replace.isPending}
      error={replace.error}
      onClose={onClose}
      onSubmit={() => replace.mutate(undefined)}
    >
      <p>{text.replaceText}</p>
      <OverlapField value={overlap} onChange={setOverlap} />
    </FormDialog>
  )
}

export function OverlapField({ value, onChange }: { value: number; onChange: (overlap: number) => void }) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{text.overlap}</label>
      <select id={id} value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {text.overlaps.map(([ms, words]) => (
          <option key={ms} value={ms}>
            {words}
          </option>
        ))}
      </select>
    </div>
  )
}

function PathKey({ account }: { account: AccountFacts }) {
  const call = useCall()
  const edit = useChange((isAllowed: boolean) => access.editAccount(call, isAllowed))
  const { allow_path_key: isOpen, path_key_used_at: usedAt } = account
  return (
    <section className="panel">
      <header>
        <h2 className="bar">
          {text.pathTitle}
          <span className={isOpen ? 'badge warn' : 'badge on'}>
            {isOpen ? text.pathOpen : text.pathClosed}
          </span>
        </h2>
        <p className="hint">
          {text.pathIntro} {usedAt === null ? text.pathNeverUsed : text.pathUsed(when(usedAt))}
        </p>
      </header>
      <div className="bar">
        <GuardedButton needs="account:write" disabled={edit.isPending} onClick={() => edit.mutate(!isOpen)}>
          {isOpen ? text.closePath : text.openPath}
        </GuardedButton>
      </div>
      <Complaint of={edit.error} />
    </section>
  )
}

function Leave() {
  const call = useCall()
  const me = useMe()
  const [isOpen, setIsOpen] = useState(false)
  const leave = useChange(() => access.leave(call))
  const gone = () => {
    location.replace(addressOf.projects)
    location.reload()
  }
  return (
    <section className="panel">
      <header>
        <h2>{text.leaveTitle}</h2>
        <p className="hint">{text.leaveText}</p>
      </header>
      <div className="bar">
        <button type="button" className="danger" onClick={() => setIsOpen(true)}>
          {text.leave}
        </button>
      </div>
      {isOpen && (
        <FormDialog
          title={text.leaveAsk(me.account?.email ?? '')}
          submit={text.leave}
          isDanger
          isPending={leave.isPending}
          error={leave.error}
          onClose={() => setIsOpen(false)}
          onSubmit={() => leave.mutate(undefined, { onSuccess: gone })}
        >
          <p>{text.leaveText}</p>
        </FormDialog>
      )}
    </section>
  )
}
