/** Queries for the record page. They are refreshed when the user changes. */
import {
  v1ProjectExecutionsLog,
  v1ProjectsChanges,
  v1ScriptErrorsList,
  v1UserDenialsList,
  v1UserDevicesList,
  v1UserExecutionsList,
  v1UserSessionsList,
  v1UsersOutcomes,
} from '@scriptward/sdk'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRefusal } from '../../../lib/rights.ts'
import { access } from '../../../queries/access.ts'
import { useCall } from '../../../queries/api.ts'
import type { User } from '../user.ts'
import type { Run } from './timeline.ts'

const PAGE = 50
const FRESH_MS = 15_000
const SESSIONS_MS = 5_000
const SHOWN_SESSIONS = 100

type Page = { readonly next: string | null }
const START = { initialPageParam: null as string | null, getNextPageParam: ({ next }: Page) => next }

const keyOf = (userKey: string, what: string) => ['activity', userKey, what]

/** Runs and denials of the last 30 days, newest first. */
export function useLog({ key: user_key, project_id }: User) {
  const call = useCall()
  return useInfiniteQuery({
    queryKey: keyOf(user_key, 'log'),
    queryFn: async ({ pageParam }) => {
      const query = { user_key, limit: PAGE, ...(pageParam !== null && { after: pageParam }) }
      return (await v1ProjectExecutionsLog({ ...call, path: { project_id }, query })).data
    },
    ...START,
    refetchInterval: FRESH_MS,
  })
}

/** Runs of watermarked copies. The server keeps them for longer than the log. */
export function useExecutions({ key: user_key }: User) {
  const call = useCall()
  return useInfiniteQuery({
    queryKey: keyOf(user_key, 'executions'),
    queryFn: async ({ pageParam }) => {
      const query = { limit: PAGE, after: pageParam }
      return (await v1UserExecutionsList({ ...call, path: { user_key }, query })).data
    },
    ...START,
  })
}

export function useAudit({ key: subject }: User, enabled: boolean) {
  const call = useCall()
  return useInfiniteQuery({
    queryKey: keyOf(subject, 'audit'),
    queryFn: ({ pageParam }) =>
      access.audit(call, { subject, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }),
    ...START,
    enabled,
  })
}

/** Bulk changes that affected the user and that can be undone. */
export function useBulkChanges({ key: user_key, project_id }: User) {
  const call = useCall()
  return useInfiniteQuery({
    queryKey: keyOf(user_key, 'changes'),
    queryFn: async ({ pageParam }) => {
      const query = { user_key, limit: PAGE, ...(pageParam !== null && { after: pageParam }) }
      return (await v1ProjectsChanges({ ...call, path: { project_id }, query })).data
    },
    ...START,
  })
}

export function useDenials({ key: user_key }: User) {
  const call = useCall()
  return useQuery({
    queryKey: keyOf(user_key, 'denials'),
    queryFn: async () => (await v1UserDenialsList({ ...call, path: { user_key } })).data.denials,
    refetchInterval: FRESH_MS,
  })
}

/** Loads the number of runs per day. */
export function useUserOutcomes({ key: user_key }: User) {
  const call = useCall()
  return useQuery({
    queryKey: keyOf(user_key, 'outcomes'),
    queryFn: async () => (await v1UsersOutcomes({ ...call, path: { user_key } })).data.outcomes,
    refetchInterval: FRESH_MS,
  })
}

export function useDevices({ key: user_key, fingerprint_assigned, last_reset }: User) {
  const call = useCall()
  return useQuery({
    queryKey: ['devices', user_key, fingerprint_assigned, last_reset],
    queryFn: async () => (await v1UserDevicesList({ ...call, path: { user_key } })).data.devices,
  })
}

export function useSessions(user_key: string, enabled = true) {
  const call = useCall()
  const query = { limit: SHOWN_SESSIONS }
  return useQuery({
    queryKey: ['sessions of', user_key],
    queryFn: async () => (await v1UserSessionsList({ ...call, path: { user_key }, query })).data.sessions,
    refetchInterval: SESSIONS_MS,
    enabled,
  })
}

/** A crashed run's error group, once the server has processed the report. */
export function useCrashError(run: Run | undefined) {
  const call = useCall()
  const isAllowed = useRefusal('scripts:read') === undefined
  return useQuery({
    queryKey: ['script', run?.script_id, 'errors of a run', run?.id, 'first'],
    queryFn: async () => {
      const given = { path: { script_id: run?.script_id ?? '' }, query: { exec: run?.id ?? '', limit: 1 } }
      return (await v1ScriptErrorsList({ ...call, ...given })).data.errors[0] ?? null
    },
    enabled: isAllowed && run !== undefined,
  })
}
