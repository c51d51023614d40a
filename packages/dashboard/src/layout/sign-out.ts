/** Signs out and opens the sign-in page with all of the previous user's data removed. */
import { isServiceError } from '@scriptward/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addressOf } from '../lib/address.ts'
import { auth } from '../queries/auth.ts'
import { connectQuietly } from '../queries/connection.ts'

/** Does not use `useChange`, because its refresh would fail after signing out. */
export function useSignOut() {
  const [client] = useState(connectQuietly)
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => auth.signOut({ client, throwOnError: true }).catch(unlessExpired),
    onSuccess: () => {
      queries.clear()
      location.replace(addressOf.projects)
      location.reload()
    },
  })
}

function unlessExpired(error: unknown): void {
  if (!(isServiceError(error) && error.status === 401)) throw error
}
