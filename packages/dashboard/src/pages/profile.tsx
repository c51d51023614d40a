/** The person who is signed in: name, e-mail, how they sign in, and where. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { access, auth, type Person, type SignIn } from '../access-api.ts'
import { errorsOfFields, useCall, useChange } from '../api.ts'
import { browserOf } from '../browser-name.ts'
import { Complaint } from '../parts/complaint.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { Field, PasswordField } from '../parts/field.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Time } from '../parts/time.tsx'
import { useMe } from '../rights.ts'
import { text } from '../text.ts'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Waiting } from './trouble.tsx'

export function ProfilePage() {
  const { person } = useMe()
  if (person === null) return null
  return (
    <>
      <PageTitle title={text.profileTitle} intro={person.email} />
      <About person={person} />
      <Password person={person} />
      <SecondFactor person={person} />
      <Passkeys />
      <SignIns />
    </>
  )
}

function About({ person }: { person: Person }) {
  const call = useCall()
  const id = useId()
  const [name, setName] = useState(person.name)
  const [language, setLanguage] = useState(person.language ?? '')
  const [isOpen, setIsOpen] = useState(false)
  const edit = useChange(() =>
    auth.editPerson(call, { name: name.trim(), language: language === '' ? null : language }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    edit.mutate(undefined)
  }
  return (
    <section className="panel">
      <h2>{text.aboutYou}</h2>
      <form className="stack" onSubmit={submit}>
        <div className="row top">
          <Field
            label={text.yourName}
            autoComplete="name"
            required
            hint={text.yourNameHint}
            error={errorsOfFields(edit.error).name}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <div className="field">
            <label htmlFor={id}>{text.language}</label>
            <select id={id} value={language} onChange={(event) => setLanguage(event.target.value)}>
              <option value="">{text.languageBrowser}</option>
              {Object.entries(text.languages).map(([code, words]) => (
                <option key={code} value={code}>
                  {words}
                </option>
              ))}
            </select>
          </div>
        </div>
        <Complaint of={edit.error} />
        <div className="bar">
          <button type="submit" className="main" disabled={edit.isPending}>
            {text.save}
          </button>
          <button type="button" onClick={() => setIsOpen(true)}>
            {text.changeEmail}
          </button>
          <span className="hint" role="status">
            {edit.isSuccess && text.saved}
          </span>
        </div>
      </form>
      {isOpen && <EmailDialog person={person} onClose={() => setIsOpen(false)} />}
    </section>
  )
}

function EmailDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const call = useCall()
  const [email, setEmail] = useState(person.email)
  const edit = useChange(() => auth.editEmail(call, email.trim()))
  return (
    <FormDialog
      title={text.changeEmail}
      submit={text.save}
      isPending={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={() => edit.mutate(undefined, { onSuccess: onClose })}
    >
      <Field
        label={text.email}
        type="email"
        autoComplete="email"
        required
        hint={text.emailHint}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
    </FormDialog>
  )
}

function Password({ person }: { person: Person }) {
  const [isOpen, setIsOpen] = useState(false)
  const [isChanged, setIsChanged] = useState(false)
  const words = person.has_password ? text.changePassword : text.setPassword
  return (
    <section className="panel">
      <header>
        <h2>{text.passwordTitle}</h2>
        <p className="hint">{person.has_password ? text.hasPassword : text.hasNoPassword}</p>
      </header>
      {isChanged && (
        <p className="notice good" role="status">
          {text.passwordChanged}
        </p>
      )}
      <div className="bar">
        <button type="button" onClick={() => setIsOpen(true)}>
          {words}
        </button>
      </div>
      {isOpen && (
        <PasswordDialog title={words} onClose={() => setIsOpen(false)} onDone={() => setIsChanged(true)} />
      )}
    </section>
  )
}

function PasswordDialog({
  title,
  onClose,
  onDone,
}: {
  title: string
  onClose: () => void
  onDone: () => void
}) {
  const call = useCall()
  const [password, setPassword] = useState('')
  const change = useChange(() => auth.changePassword(call, password))
  const done = () => {
    onDone()
    onClose()
  }
  return (
    <FormDialog
      title={title}
      submit={text.save}
      isPending={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => change.mutate(undefined, { onSuccess: done })}
    >
      <PasswordField
        label={text.newPassword}
        autoComplete="new-password"
        minLength={12}
        maxLength={128}
        hint={text.passwordHint}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormDialog>
  )
}

function SignIns() {
  const call = useCall()
  const list = useQuery({ queryKey: ['sign-ins'], queryFn: () => access.signIns(call) })
  const endOthers = useChange(() => access.endOtherSignIns(call))
  return (
    <section className="panel">
      <header className="bar between">
        <div>
          <h2>{text.signInsTitle}</h2>
          <p className="hint">{text.signInsIntro}</p>
        </div>
        {(list.data?.length ?? 0) > 1 && (
          <button type="button" onClick={() => endOthers.mutate(undefined)} disabled={endOthers.isPending}>
            {text.endOthers}
          </button>
        )}
      </header>
      <Complaint of={endOthers.error} />
      <Waiting asked={list}>
        <ul className="rows">
          {list.data?.map((each) => (
            <SignInRow key={each.id} signIn={each} />
          ))}
        </ul>
      </Waiting>
    </section>
  )
}

function SignInRow({ signIn }: { signIn: SignIn }) {
  const call = useCall()
  const end = useChange(() => access.endSignIn(call, signIn.id))
  return (
    <li>
      <div className="main-text">
        <span className="name">
          {browserOf(signIn.browser)}
          {signIn.current && <span className="badge on">{text.here}</span>}
        </span>
        <span className="facts">
          <span>{signIn.network}</span>
          <span>
            <Time at={signIn.last_used_at} />
          </span>
        </span>
      </div>
      {!signIn.current && (
        <button type="button" onClick={() => end.mutate(undefined)} disabled={end.isPending}>
          {text.endOne}
        </button>
      )}
      <Complaint of={end.error} />
    </li>
  )
}
