import {
  entriesOf,
  type V1AdCheckpointsListResponse,
  type V1AdProvidersListResponse,
  type V1AdSystemsDaysResponse,
  type V1AdSystemsGetResponse,
  v1AdCheckpointsList,
  v1AdCheckpointsPrepare,
  v1AdCheckpointsRemove,
  v1AdCheckpointsSwap,
  v1AdProvidersList,
  v1AdSystemsDays,
  v1AdSystemsGet,
  v1AdSystemsList,
  v1AdSystemsRemove,
  v1AdSystemsStatistics,
} from '@scriptward/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCall, useChange } from '../../queries/api.ts'
import { DAY_MS, lengthOf, type Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'

export type AdSystem = V1AdSystemsGetResponse['system']
export type Checkpoint = V1AdCheckpointsListResponse['checkpoints'][number]
export type AdDay = V1AdSystemsDaysResponse['days'][number]
export type ProviderId = Checkpoint['provider']
export type Providers = V1AdProvidersListResponse['providers']
export type Networks = V1AdProvidersListResponse['networks']
export type Setting = Providers[ProviderId][number]
export type Addresses = Pick<Checkpoint, 'callback_url' | 'postback_url'>

export const WRITE = 'ads:write'
export const PROVIDER_IDS: readonly ProviderId[] = ['provider_a', 'provider_b', 'provider_c']
const PAGE = 500

/** The API lists the systems of the entire account. */
export function useAdSystems() {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['ad-systems', id],
    queryFn: async () => {
      const found: AdSystem[] = []
      const all = entriesOf('systems', (after) =>
        v1AdSystemsList({
          ...call,
          query: { order: 'newest', limit: PAGE, ...(after !== null && { after }) },
        }),
      )
      for await (const system of all) if (system.project_id === id) found.push(system)
      return found
    },
  })
}

export function useAdSystem(system_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['ad-system', system_id],
    queryFn: async () => (await v1AdSystemsGet({ ...call, path: { system_id } })).data.system,
  })
}

export function useCheckpoints(system_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['ad-checkpoints', system_id],
    queryFn: async () => (await v1AdCheckpointsList({ ...call, path: { system_id } })).data.checkpoints,
  })
}

export function useAdStatistics(system_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['ad-statistics', system_id],
    queryFn: async () => (await v1AdSystemsStatistics({ ...call, path: { system_id } })).data.statistics,
  })
}

/** One entry per day of the period, oldest first. */
export function useAdDays(system_id: string, period: Period) {
  const call = useCall()
  return useQuery({
    queryKey: ['ad-days', system_id, period],
    queryFn: async () => {
      const query = { from: Date.now() - lengthOf(period) + DAY_MS }
      return (await v1AdSystemsDays({ ...call, path: { system_id }, query })).data.days
    },
    placeholderData: keepPreviousData,
  })
}

export function useProviders() {
  const call = useCall()
  return useQuery({
    queryKey: ['ad-providers'],
    queryFn: async () => (await v1AdProvidersList(call)).data,
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ providers }) => providers,
  })
}

/** Loads the supported ad networks and their settings. */
export function useNetworks() {
  const call = useCall()
  return useQuery({
    queryKey: ['ad-providers'],
    queryFn: async () => (await v1AdProvidersList(call)).data,
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ networks }) => networks,
  })
}

/** The operator's label for a provider. */
export function labelOf(providers: Providers | undefined, id: ProviderId): string {
  return providers?.[id].find((setting) => setting.id === 'about')?.name ?? id
}

/** Reserves the URLs for the next checkpoint; repeated calls return the same URLs. */
export function usePrepared(system_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['ad-prepared', system_id],
    queryFn: async () => (await v1AdCheckpointsPrepare({ ...call, path: { system_id } })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

export function useRemoveSystem() {
  const call = useCall()
  return (system_id: string) => v1AdSystemsRemove({ ...call, path: { system_id } })
}

export function useRemoveCheckpoint() {
  const call = useCall()
  return (checkpoint_id: string) => v1AdCheckpointsRemove({ ...call, path: { checkpoint_id } })
}

type Move = { readonly id: string; readonly from: number; readonly to: number }

/** Moves a step. The API only swaps neighbors, so this takes one call per position. */
export function useMove() {
  const call = useCall()
  return useChange(async ({ id, from, to }: Move) => {
    const step = Math.sign(to - from)
    for (let index = from; index !== to; index += step)
      await v1AdCheckpointsSwap({ ...call, path: { checkpoint_id: id }, body: { index: index + step } })
  })
}

/** The open dialog. */
export type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'remove'; readonly id: string }
