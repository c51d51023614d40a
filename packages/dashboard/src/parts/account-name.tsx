/** Whose account it is, so that a visitor notices when it is not their own. */
import { v1AccountGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../api.ts'

export function AccountName() {
  const call = useCall()
  const account = useQuery({
    queryKey: ['account'],
    queryFn: async () => (await v1AccountGet(call)).data.customer.email,
  })
  return (
    <span className="account hint" title={account.data}>
      {account.data}
    </span>
  )
}
