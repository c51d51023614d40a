/** Switches between accounts. Shown to members of several accounts. */
import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { ErrorMessage } from '../components/error-message.tsx'
import { addressOf, useGoTo } from '../lib/address.ts'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { useCall, useChange } from '../queries/api.ts'
import { auth } from '../queries/auth.ts'

export function AccountSwitch() {
  const call = useCall()
  const queries = useQueryClient()
  const goTo = useGoTo()
  const id = useId()
  const { account, accounts } = useMe()
  const change = useChange((accountId: string) => auth.switchAccount(call, accountId))
  if (accounts.length < 2) return null
  const look = (accountId: string) =>
    change.mutate(accountId, {
      onSuccess: async () => {
        goTo(addressOf.projects)
        await queries.resetQueries()
      },
    })
  return (
    <div className="field">
      <label htmlFor={id} className="hint">
        {text.switchAccount}
      </label>
      <select id={id} value={account?.id} onChange={(event) => look(event.target.value)}>
        {accounts.map((one) => (
          <option key={one.id} value={one.id}>
            {one.email}
          </option>
        ))}
      </select>
      <ErrorMessage of={change.error} />
    </div>
  )
}
