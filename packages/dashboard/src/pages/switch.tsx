/** A link that carries another key than the one in use: nothing is replaced before the visitor says so. */
import { connect, v1AccountGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { text } from '../text.ts'

type Given = {
  readonly current: string
  readonly offered: string
  readonly onStay: () => void
  readonly onSwitch: () => void
}

export function SwitchPage({ current, offered, onStay, onSwitch }: Given) {
  const accounts = useQuery({
    queryKey: ['accounts', current, offered],
    queryFn: async () => ({ current: await emailOf(current), offered: await emailOf(offered) }),
  })
  if (accounts.data === undefined) return <main className="narrow">{text.loading}</main>
  const { current: mine, offered: other } = accounts.data
  return (
    <main className="narrow">
      <h1>{text.otherAccount}</h1>
      <p>{other === null ? text.linkRefused : text.linkOffers(other)}</p>
      <p className="row">
        <button type="button" className="main" onClick={onStay}>
          {mine === null ? text.stay : text.stayAs(mine)}
        </button>
        {other !== null && (
          <button type="button" onClick={onSwitch}>
            {text.switchTo(other)}
          </button>
        )}
      </p>
    </main>
  )
}

/** Null when the key is refused or the service does not answer. */
async function emailOf(apiKey: string): Promise<string | null> {
  const client = connect({ baseUrl: location.origin, apiKey })
  try {
    return (await v1AccountGet({ client, throwOnError: true })).data.customer.email
  } catch {
    return null
  }
}
