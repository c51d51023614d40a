/** Which account the person looks at, when they have a seat in several. */
import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { addressOf, useGoTo } from '../address.ts'
import { useCall, useChange } from '../api.ts'
import { auth } from '../auth-api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { useMe } from '../rights.ts'
import { text } from '../text/text.ts'

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
      <Complaint of={change.error} />
    </div>
  )
}
