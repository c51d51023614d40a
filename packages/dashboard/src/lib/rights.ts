/** The user's permissions in the current account. */
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { text } from '../messages/text.ts'
import { access, type Me, type ScopeList } from '../queries/access.ts'
import { rightText, useCall } from '../queries/api.ts'

export const MeContext = createContext<Me | null>(null)

/** Returns the signed-in user. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === null) throw new Error('used outside MeContext')
  return me
}

export function useScopes(): ScopeList {
  const call = useCall()
  const isSignedIn = useContext(MeContext) !== null
  const list = useQuery({
    queryKey: ['scopes'],
    queryFn: () => access.scopes(call),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isSignedIn,
  })
  return list.data ?? { scopes: [], roles: [] }
}

/** Returns why the user lacks a permission; undefined if the user has the permission or none is needed. */
export function useRefusal(needs: string | undefined): string | undefined {
  const me = useContext(MeContext)
  const reason = useReason(needs)
  return needs === undefined || me?.scopes.includes(needs) ? undefined : reason
}

/** Describes the missing permission and who can grant it. */
export function useReason(needs: string | undefined): string | undefined {
  const { scopes } = useScopes()
  const account = useContext(MeContext)?.account?.email
  if (needs === undefined) return undefined
  const description = text.rightTexts[needs] ?? scopes.find(({ name }) => name === needs)?.description
  const what = rightText(needs, description)
  return account === undefined ? what : `${what} ${text.whoGives(account)}`
}
