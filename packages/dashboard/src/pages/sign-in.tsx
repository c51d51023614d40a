/** Asks for the API key; the dashboard opens once the service has accepted it. */
import { connect, ServiceError, v1ProjectsList } from '@scriptward/sdk'
import { type FormEvent, useState } from 'react'
import { Field } from '../parts/field.tsx'
import { text } from '../text.ts'

export function SignInPage({ onKey }: { onKey: (key: string) => void }) {
  const [key, setKey] = useState('')
  const [complaint, setComplaint] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const refused = await refusalOf(key.trim())
    if (refused === null) onKey(key.trim())
    else setComplaint(refused)
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

async function refusalOf(apiKey: string): Promise<string | null> {
  try {
    const client = connect({ baseUrl: location.origin, apiKey })
    await v1ProjectsList({ client, throwOnError: true })
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) return text.unreachable
    return error.status === 401 ? text.wrongKey : error.message
  }
}
