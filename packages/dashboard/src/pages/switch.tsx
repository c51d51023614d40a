/** A link that carries another key than the one in use: nothing is replaced before the visitor says so. */
import { useQuery } from '@tanstack/react-query'
import { findAccount } from '../account.ts'
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
    queryFn: async () => ({ mine: await findAccount(current), other: await findAccount(offered) }),
  })
  if (accounts.data === undefined) return <main className="narrow">{text.loading}</main>
  const { mine, other } = accounts.data
  return (
    <main className="narrow">
      <h1>{'refusal' in other ? text.deadLink : text.otherAccount}</h1>
      <p>{'refusal' in other ? other.refusal : text.linkOffers(other.email)}</p>
      <p className="choices">
        <button type="button" className="main" onClick={onStay}>
          {'refusal' in mine ? text.stay : text.stayAs(mine.email)}
        </button>
        {'email' in other && (
          <button type="button" onClick={onSwitch}>
            {text.switchTo(other.email)}
          </button>
        )}
      </p>
    </main>
  )
}
