/** Loads the signed-in user; null if there is none. */
import { useQuery } from '@tanstack/react-query'
import { access, type Me } from '../queries/access.ts'
import { useCall } from '../queries/api.ts'
import { hasCookie } from '../queries/connection.ts'

export const ME = ['me']

export function useMeQuery() {
  const call = useCall()
  return useQuery({
    queryKey: ME,
    queryFn: async ({ client }): Promise<Me | null> => {
      // Removes an expired cookie. The user can sign in again without leaving the page.
      const mayBeSignedIn = hasCookie() || client.getQueryData(ME) != null
      return mayBeSignedIn ? access.me(call).catch(nobodyIfRefused) : null
    },
  })
}

function nobodyIfRefused(error: { status?: number }): null {
  if (error.status === 401) return null
  throw error
}
