/** Pages that links lead to, and those of people who cannot sign in yet: set-up, reset, invitation, sign-up. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { auth, type InvitationLook, type SetUpLook, type SignedIn } from '../access-api.ts'
import { addressOf, type Door, goTo } from '../address.ts'
import { errorsOfFields, useCall, useChange } from '../api.ts'
import { Brand } from '../parts/brand.tsx'
import { Complaint } from '../parts/complaint.tsx'
import { Field, PasswordField } from '../parts/field.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { canUsePasskeys, makePasskey } from '../passkeys.ts'
import { text } from '../text.ts'
import { SecondStep } from './sign-in.tsx'

type Place = { readonly door: Door; readonly secret: string }
type Linked = { readonly link: string; readonly onAnswer: (answer: SignedIn) => void }

export function DoorPage({ place: { door, secret } }: { place: Place }) {
  const queries = useQueryClient()
  const [ticket, setTicket] = useState<string | null>(null)
  const go = (answer: SignedIn) => {
    if (!answer.done) return setTicket(answer.ticket)
    goTo(addressOf.projects)
    void queries.resetQueries()
  }
  return (
    <main className="door">
      <Brand />
      {ticket === null ? (
        <DoorForm door={door} link={secret} onAnswer={go} />
      ) : (
        <SecondStep ticket={ticket} onAnswer={go} onBack={() => goTo(addressOf.projects)} />
      )}
      {ticket === null && <a href={addressOf.projects}>{text.haveAccount}</a>}
    </main>
  )
}

function DoorForm({ door, ...linked }: Linked & { door: Door }) {
  if (door === 'sign-up') return <SignUp />
  if (door === 'reset' && linked.link === '') return <AskReset />
  if (linked.link === '') return <DeadLink hint={text.linkMissing} />
  if (door === 'invitation') return <Invitation {...linked} />
  return door === 'confirm' ? <Confirm {...linked} /> : <SetUpOrReset {...linked} />
}

function Card({ title, intro, children }: { title: string; intro?: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${text.product}`
  }, [title])
  return (
    <div className="panel">
      <header>
        <h1>{title}</h1>
        {intro !== undefined && <p className="hint">{intro}</p>}
      </header>
      {children}
    </div>
  )
}

function DeadLink({ hint = text.linkEnded }: { hint?: string }) {
  return <Card title={text.linkTitle} intro={hint} />
}

/** What a link is for, and nothing but the form for it. */
function SetUpOrReset(given: Linked) {
  const call = useCall()
  const look = useQuery({
    queryKey: ['link', given.link],
    queryFn: () => auth.setUpLook(call, given.link),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (look.error) return <DeadLink />
  if (look.data === undefined) return <Skeleton rows={2} />
  return look.data.purpose === 'reset' ? <Reset {...given} /> : <SetUp {...given} look={look.data} />
}

function SetUp({ link, look, onAnswer }: Linked & { look: SetUpLook }) {
  const call = useCall()
  const [email, setEmail] = useState(isAddress(look.email) ? look.email : '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [isPasskey, setIsPasskey] = useState(false)
  const set = useChange(async () => {
    const person = { link, email: email.trim(), name: name.trim() }
    if (!isPasskey) return auth.setUp(call, { ...person, password })
    return auth.setUpPasskeyFinish(call, await makePasskey(await auth.setUpPasskeyBegin(call, person)))
  })
  const errors = errorsOfFields(set.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set.mutate(undefined, { onSuccess: () => onAnswer({ done: true }) })
  }
  return (
    <Card title={text.setUpTitle} {...(look.account === null ? {} : { intro: text.setUpFor(look.account) })}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={text.email}
          type="email"
          autoComplete="username"
          required
          hint={text.setUpEmail}
          error={errors.email}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <NameField value={name} onChange={setName} error={errors.name} />
        {canUsePasskeys() && <WayField isPasskey={isPasskey} onChange={setIsPasskey} />}
        {isPasskey ? (
          <p className="hint">{text.passkeyHint}</p>
        ) : (
          <NewPassword value={password} onChange={setPassword} error={errors.password} />
        )}
        <Complaint of={set.error} />
        <button type="submit" className="main wide" disabled={set.isPending}>
          {isPasskey ? text.createPasskey : text.createAccount}
        </button>
      </form>
    </Card>
  )
}

function WayField({ isPasskey, onChange }: { isPasskey: boolean; onChange: (isPasskey: boolean) => void }) {
  const ways = [
    [false, text.withPassword],
    [true, text.withPasskey],
  ] as const
  return (
    <fieldset className="stack tight">
      <legend>{text.howToSignIn}</legend>
      {ways.map(([value, words]) => (
        <label className="check" key={words}>
          <input type="radio" name="way" checked={isPasskey === value} onChange={() => onChange(value)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}

type Text = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
}

function NameField({ value, onChange, error }: Text) {
  return (
    <Field
      label={text.yourName}
      autoComplete="name"
      required
      hint={text.yourNameHint}
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function NewPassword({ value, onChange, error }: Text) {
  return (
    <PasswordField
      label={text.newPassword}
      autoComplete="new-password"
      minLength={12}
      maxLength={128}
      hint={text.passwordHint}
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function Reset({ link, onAnswer }: Linked) {
  const call = useCall()
  const [password, setPassword] = useState('')
  const reset = useChange(() => auth.reset(call, { link, password }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate(undefined, { onSuccess: onAnswer })
  }
  return (
    <Card title={text.newPasswordTitle} intro={text.newPasswordIntro}>
      <form className="stack" onSubmit={submit}>
        <NewPassword value={password} onChange={setPassword} error={errorsOfFields(reset.error).password} />
        <Complaint of={reset.error} />
        <button type="submit" className="main wide" disabled={reset.isPending}>
          {text.changeAndSignIn}
        </button>
      </form>
    </Card>
  )
}

function AskReset() {
  const call = useCall()
  const [email, setEmail] = useState('')
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  const ask = useChange(() => auth.askReset(call, email.trim()))
  if (options.data?.mail === false)
    return (
      <Card title={text.resetTitle} intro={text.resetNoMail}>
        <code>{text.resetCommand}</code>
      </Card>
    )
  if (ask.isSuccess) return <Card title={text.resetTitle} intro={text.resetSent(email.trim())} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate(undefined)
  }
  return (
    <Card title={text.resetTitle} intro={text.resetIntro}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={text.email}
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Complaint of={ask.error} />
        <button type="submit" className="main wide" disabled={ask.isPending}>
          {text.sendLink}
        </button>
      </form>
    </Card>
  )
}

function Invitation(given: Linked) {
  const call = useCall()
  const look = useQuery({
    queryKey: ['invitation', given.link],
    queryFn: () => auth.invitationLook(call, given.link),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (look.error) return <DeadLink />
  if (look.data === undefined) return <Skeleton rows={2} />
  return <Join {...given} look={look.data} />
}

/** People who are known here prove it with their password; others choose name and password. */
function Join({ link, look, onAnswer }: Linked & { look: InvitationLook }) {
  const call = useCall()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const join = useChange(() =>
    auth.acceptInvitation(call, look.has_person ? { link, password } : { link, name: name.trim(), password }),
  )
  const errors = errorsOfFields(join.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    join.mutate(undefined, { onSuccess: onAnswer })
  }
  const role = text.roleNames[look.role] ?? look.role
  return (
    <Card title={text.invitationTitle(look.account)} intro={text.invitedAs(look.invited_by, role)}>
      <p className="notice">{text.roleTexts[look.role]}</p>
      <p>{(look.has_person ? text.invitationHasPerson : text.invitationNewPerson)(look.email)}</p>
      <form className="stack" onSubmit={submit}>
        <input type="email" className="unseen" autoComplete="username" value={look.email} readOnly hidden />
        {!look.has_person && <NameField value={name} onChange={setName} error={errors.name} />}
        {look.has_person ? (
          <PasswordField
            label={text.password}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        ) : (
          <NewPassword value={password} onChange={setPassword} error={errors.password} />
        )}
        <Complaint of={join.error} />
        <button type="submit" className="main wide" disabled={join.isPending}>
          {text.join}
        </button>
      </form>
    </Card>
  )
}

function Confirm({ link, onAnswer }: Linked) {
  const call = useCall()
  const confirm = useChange(() => auth.signUpConfirm(call, link))
  const go = () => confirm.mutate(undefined, { onSuccess: () => onAnswer({ done: true }) })
  return (
    <Card title={text.confirmTitle} intro={text.confirmIntro}>
      <Complaint of={confirm.error} />
      <button type="button" className="main wide" onClick={go} disabled={confirm.isPending}>
        {text.confirmTitle}
      </button>
    </Card>
  )
}

function SignUp() {
  const call = useCall()
  const [given, setGiven] = useState({ email: '', name: '', password: '' })
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  const sign = useChange(() => auth.signUp(call, given))
  const errors = errorsOfFields(sign.error)
  const set = (name: keyof typeof given) => (value: string) => setGiven({ ...given, [name]: value })
  if (options.data === undefined) return <Skeleton rows={2} />
  if (options.data.sign_up !== 'open') return <Card title={text.signUpTitle} intro={text.signUpOff} />
  if (sign.isSuccess) return <Card title={text.confirmTitle} intro={text.signUpSent(given.email)} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sign.mutate(undefined)
  }
  return (
    <Card title={text.signUpTitle}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={text.email}
          type="email"
          autoComplete="username"
          required
          error={errors.email}
          value={given.email}
          onChange={(event) => set('email')(event.target.value)}
        />
        <NameField value={given.name} onChange={set('name')} error={errors.name} />
        <NewPassword value={given.password} onChange={set('password')} error={errors.password} />
        <Complaint of={sign.error} />
        <button type="submit" className="main wide" disabled={sign.isPending}>
          {text.signUp}
        </button>
      </form>
    </Card>
  )
}

/** The first admin has a name instead of an address until they choose one. */
function isAddress(email: string | null): email is string {
  return email !== null && !email.endsWith('@localhost')
}
