import {
  type V1ChannelsListResponse,
  type V1ReleasesListResponse,
  v1ChannelsList,
  v1ReleasesEdit,
  v1ReleasesList,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useList } from '../../../components/table/use-list.ts'
import type { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'

export type Release = V1ReleasesListResponse['releases'][number]
export type Guard = Release['guard']
export type Channel = V1ChannelsListResponse['channels'][number]
export type ShownState = keyof typeof text.releases.states

export const STABLE = 'stable'
const PAGE = 100
/** The guard compares every 30 seconds. */
const LIVE = { everyMs: 15_000 } as const

/** All releases of a script, newest first. */
export function useReleases(scriptId: string) {
  const call = useCall()
  const path = { script_id: scriptId }
  const list = useList(
    ['script', scriptId, 'releases'],
    async (after) => {
      const query = { limit: PAGE, ...(after === undefined ? {} : { after }) }
      const { releases, next, total } = (await v1ReleasesList({ ...call, path, query })).data
      return { rows: releases, next, total }
    },
    LIVE,
  )
  return { ...list, open: list.rows.filter(isOpen), ended: list.rows.filter((each) => !isOpen(each)) }
}

export function useChannels(scriptId: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', scriptId, 'channels'],
    queryFn: async () => (await v1ChannelsList({ ...call, path: { script_id: scriptId } })).data.channels,
  })
}

export function useEditOf(scriptId: string, { id }: Release) {
  const call = useCall()
  const path = { script_id: scriptId, release_id: id }
  return (body: NonNullable<Parameters<typeof v1ReleasesEdit>[0]['body']>) =>
    v1ReleasesEdit({ ...call, path, body })
}

function isOpen({ ended_at }: Release): boolean {
  return ended_at === null
}

/** The guard also holds releases that go on running. */
export function stateOf(release: Release): ShownState {
  return isOpen(release) && release.held ? 'held' : release.state
}
