import { type V1AccountGetResponses, v1AccountGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRefusal } from '../../lib/rights.ts'
import { useCall } from '../../queries/api.ts'

export type OwnAccount = V1AccountGetResponses[200]['customer']

/** Loads the account with its usage, if the user has permission to read it. */
export function useOwnAccount() {
  const call = useCall()
  const refusal = useRefusal('account:read')
  return useQuery({
    queryKey: ['account'],
    queryFn: async () => (await v1AccountGet(call)).data.customer,
    enabled: refusal === undefined,
  })
}
