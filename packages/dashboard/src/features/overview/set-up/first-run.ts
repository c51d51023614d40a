/**
 * Waits for a project's first run with any key. Runs with a live session are announced by an event; the
 * others are polled, because a run on plain Lua opens no session.
 */
import { v1ProjectDenialsFilter, v1UsersGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Denial } from '../../../lib/denials.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { useCall } from '../../../queries/api.ts'
import { projectQuery } from '../../../queries/projects.ts'
import { watchSessions } from '../../../queries/session-events.ts'

const ASK_MS = 1000

type FirstRun = {
  /** Undefined until the first run with any key. `executor` is null unless that run used `userKey`. */
  readonly arrived: { readonly executor: string | null } | undefined
  readonly denial: Denial | undefined
}

export function useFirstRun(projectId: string, userKey: string): FirstRun {
  const call = useCall()
  const project = useQuery({
    ...projectQuery(call, projectId),
    refetchInterval: ({ state }) => ((state.data?.total_executions ?? 0) > 0 ? false : ASK_MS),
  })
  const hasRun = (project.data?.total_executions ?? 0) > 0
  const user = useQuery({
    queryKey: ['first run', userKey],
    queryFn: async () => (await v1UsersGet({ ...call, path: { user_key: userKey } })).data.user,
    enabled: hasRun,
  })
  const denials = useQuery({
    queryKey: ['denials', projectId, 'first run'],
    queryFn: async () => {
      const given = { path: { project_id: projectId }, query: { limit: 1 } }
      return (await v1ProjectDenialsFilter({ ...call, ...given })).data.denials
    },
    refetchInterval: hasRun ? false : ASK_MS,
  })
  useSessionOpened(projectId, () => void project.refetch())
  return {
    arrived: hasRun ? { executor: user.data?.executor ?? null } : undefined,
    denial: denials.data?.[0],
  }
}

function useSessionOpened(projectId: string, onOpened: () => void): void {
  const call = useCall()
  const mayWatch = useRefusal('sessions:read') === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: one stream for the page, not one for each render.
  useEffect(() => {
    if (!mayWatch) return
    const onEvent = (type: string) => type === 'opened' && onOpened()
    return watchSessions(call, projectId, { onEvent, onBegin() {}, onLost() {}, onRefused() {} })
  }, [projectId, mayWatch])
}
