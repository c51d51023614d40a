/** Loads notes and Discord accounts by license key, for lists whose entries contain only keys. */
import { v1ProjectUsersNames } from '@scriptward/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Named } from '../lib/customer-name.ts'
import { useRefusal } from '../lib/rights.ts'
import { useCall } from './api.ts'
import { useProject } from './projects.ts'

type Names = Readonly<Record<string, Named>>

const NONE: Names = {}
/** Maximum number of keys per API request. */
const MAX_KEYS = 100

/**
 * Loads unknown names in batches. Until a name has loaded, or without permission, only the key is available.
 */
export function useCustomerNames(keys: readonly (string | null)[]): (key: string | null) => Named {
  const call = useCall()
  const { id } = useProject()
  const queries = useQueryClient()
  const mayRead = useRefusal('users:read') === undefined
  const isBusy = useRef(false)
  const queryKey = ['customer names', id]
  const { data: known } = useQuery<Names>({
    queryKey,
    queryFn: () => NONE,
    enabled: false,
    initialData: NONE,
  })
  const missing = [...new Set(keys.filter((key) => key !== null && known[key] === undefined))] as string[]
  const batch = missing.slice(0, MAX_KEYS)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys decide, in any order of the others.
  useEffect(() => {
    if (!mayRead || isBusy.current || batch.length === 0) return
    isBusy.current = true
    void readNames(
      () => v1ProjectUsersNames({ ...call, path: { project_id: id }, body: { keys: batch } }),
      batch,
    )
      .finally(() => {
        isBusy.current = false
      })
      .then((names) => queries.setQueryData<Names>(queryKey, (before) => ({ ...before, ...names })))
  }, [batch.join(' '), mayRead])
  return (key) => (key !== null && known[key]) || { user_key: key, note: null, chat_id: null }
}

type Answer = { readonly data: { readonly users: readonly (Omit<Named, 'user_key'> & { key: string })[] } }

/** Keys without a user and keys from a failed request are not requested again. */
async function readNames(ask: () => Promise<Answer>, keys: readonly string[]): Promise<Names> {
  const unnamed = keys.map((key) => [key, { user_key: key, note: null, chat_id: null }] as const)
  try {
    const { users } = (await ask()).data
    const named = users.map(({ key, note, chat_id }) => [key, { user_key: key, note, chat_id }] as const)
    return Object.fromEntries([...unnamed, ...named])
  } catch {
    return Object.fromEntries(unnamed)
  }
}
