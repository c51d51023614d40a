/** Asks for the API key; the dashboard opens once the service has accepted it. */
import { type FormEvent, useState } from 'react'
import { findAccount } from '../account.ts'
import { Field } from '../parts/field.tsx'
import { text } from '../text.ts'

export function SignInPage({ onKey }: { onKey: (key: string) => void }) {
  const [key, setKey] = useState('')
  const [complaint, setComplaint] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const account = await findAccount(key.trim())
    if ('refusal' in account) setComplaint(account.refusal)
    else onKey(key.trim())
  }
  return (
    <main className="narrow">
      <h1>{text.product}</h1>
      <form onSubmit={submit}>
        <Field
          label={text.apiKey}
          type="password"
          autoComplete="current-password"
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <p className="hint">{text.apiKeyHint}</p>
        {complaint !== '' && (
          <p className="complaint" role="alert">
            {complaint}
          </p>
        )}
        <button type="submit" className="main">
          {text.signIn}
        </button>
      </form>
    </main>
  )
}
