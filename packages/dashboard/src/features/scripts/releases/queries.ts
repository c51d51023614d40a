import {
  type V1ChannelsListResponse,
  type V1ProjectsReleasesResponse,
  type V1ReleasesListResponse,
  v1ChannelsList,
  v1ProjectsReleases,
  v1ReleasesEdit,
  v1ReleasesList,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useList } from '../../../components/table/use-list.ts'
import type { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'

export type Release = V1ReleasesListResponse['releases'][number]
export type ProjectRelease = V1ProjectsReleasesResponse['releases'][number]
export type Guard = Release['guard']
export type Channel = V1ChannelsListResponse['channels'][number]
export type ShownState = keyof typeof text.releases.states

export const STABLE = 'stable'
const PAGE = 50
/** Half of the guard's interval: the guard compares versions every 30 seconds. */
const LIVE = { everyMs: 15_000 } as const

/** A script has at most one open release per channel, so a single page contains all of them. */
export function useOpenReleases(scriptId: string) {
  const call = useCall()
  const path = { script_id: scriptId }
  return useQuery({
    queryKey: ['script', scriptId, 'releases', 'open'],
    queryFn: async () => (await v1ReleasesList({ ...call, path, query: { state: 'open' } })).data.releases,
    refetchInterval: LIVE.everyMs,
  })
}

/** Newest first. */
export function useEndedReleases(scriptId: string) {
  const call = useCall()
  const path = { script_id: scriptId }
  return useList(
    ['script', scriptId, 'releases', 'ended'],
    async (after) => {
      const page = { state: 'ended', limit: PAGE, ...(after === undefined ? {} : { after }) } as const
      const { releases, next, total } = (await v1ReleasesList({ ...call, path, query: page })).data
      return { rows: releases, next, total }
    },
    LIVE,
  )
}

/** The releases of all scripts in a project, newest first. */
export function useProjectReleases(projectId: string, state: 'open' | 'ended') {
  const call = useCall()
  const path = { project_id: projectId }
  return useList(
    ['project', projectId, 'releases', state],
    async (after) => {
      const query = { state, limit: PAGE, ...(after === undefined ? {} : { after }) }
      const { releases, next, total } = (await v1ProjectsReleases({ ...call, path, query })).data
      return { rows: releases, next, total }
    },
    LIVE,
  )
}

/** A channel's version changes when its release ends or reaches everyone. */
export function useChannels(scriptId: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', scriptId, 'channels'],
    queryFn: async () => (await v1ChannelsList({ ...call, path: { script_id: scriptId } })).data.channels,
    refetchInterval: LIVE.everyMs,
  })
}

export function useEditOf(scriptId: string, { id }: Release) {
  const call = useCall()
  const path = { script_id: scriptId, release_id: id }
  return (body: NonNullable<Parameters<typeof v1ReleasesEdit>[0]['body']>) =>
    v1ReleasesEdit({ ...call, path, body })
}

/** An open release that is held is shown as held, even if its state is still `running`. */
export function stateOf(release: Release): ShownState {
  if (release.ended_at === null && release.held) return 'held'
  return release.rolled_back_by === 'guard' ? 'rolled_back_by_guard' : release.state
}
