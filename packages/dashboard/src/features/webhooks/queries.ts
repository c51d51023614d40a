import {
  type V1WebhooksCreateData,
  type V1WebhooksDeliveriesResponse,
  type V1WebhooksEditData,
  type V1WebhooksListResponse,
  type V1WebhooksRecoverData,
  type V1WebhooksRecoverResponse,
  v1ProjectsEdit,
  v1WebhooksCreate,
  v1WebhooksDeliveries,
  v1WebhooksEdit,
  v1WebhooksList,
  v1WebhooksRecover,
  v1WebhooksRedeliver,
  v1WebhooksRemove,
  v1WebhooksRotate,
  v1WebhooksTest,
} from '@scriptward/sdk'
import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useOptimistic } from '../../components/overlays/use-optimistic.ts'
import { useList } from '../../components/table/use-list.ts'
import { useFilters } from '../../lib/address.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

export type Webhook = V1WebhooksListResponse['webhooks'][number]
/** One of the three built-in endpoints. */
export type Kind = Exclude<Webhook['kind'], 'additional'>
export type Delivery = V1WebhooksDeliveriesResponse['deliveries'][number]
export type DeliveryState = Delivery['state']

export const KINDS: readonly Kind[] = ['execution', 'information', 'blacklist']
export const DELIVERY_STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed', 'dropped']
export const MAX_CUSTOM = 10
const MEMBERS = {
  execution: 'execution_webhook',
  information: 'information_webhook',
  blacklist: 'blacklist_webhook',
} as const
const PAGE = 50
/** Polling interval for new deliveries and the health of endpoints. */
const LIVE = { everyMs: 5_000 } as const
/** Polling interval if a delivery is due soon. */
const LOOK_AGAIN_MS = 2_000
const SOON_MS = 60_000

export function useWebhooks() {
  const call = useCall()
  const { id } = useProject()
  // While a change is pending, a response to an earlier request would bring back the old state.
  const isChanging = useIsMutating() > 0
  return useQuery({
    queryKey: ['webhooks', id],
    queryFn: async () => (await v1WebhooksList({ ...call, path: { project_id: id } })).data.webhooks,
    refetchInterval: isChanging ? false : LIVE.everyMs,
  })
}

/** Loads deliveries that match the filters in the URL. Polls faster while deliveries are pending. */
export function useDeliveries() {
  const call = useCall()
  const { id } = useProject()
  const [{ state, type, webhook }] = useFilters()
  const chosen = DELIVERY_STATES.find((each) => each === state)
  const query = {
    limit: PAGE,
    ...(chosen && { state: chosen }),
    ...(type !== undefined && { type }),
    ...(webhook !== undefined && { webhook_id: webhook }),
  }
  const path = { project_id: id }
  const list = useList(
    ['deliveries', id, chosen, type, webhook],
    async (after) => {
      const page = { ...query, ...(after && { after }) }
      const { data } = await v1WebhooksDeliveries({ ...call, path, query: page })
      return { rows: data.deliveries, next: data.next, total: data.total }
    },
    LIVE,
  )
  useLookingAgain(list.rows.some(isSoon))
  return list
}

function isSoon({ state, next_attempt }: Delivery): boolean {
  return state === 'pending' && next_attempt !== null && next_attempt - Date.now() < SOON_MS
}

function useLookingAgain(isNeeded: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isNeeded) return
    // The requests are sequential, so that the health on screen is never older than the deliveries.
    const lookAgain = async () => {
      await queries.invalidateQueries({ queryKey: ['deliveries'] })
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
    }
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void lookAgain()
    }, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isNeeded, queries])
}

/** An empty URL removes the endpoint. */
export function useSaveAddress(kind: Kind) {
  const call = useCall()
  const { id } = useProject()
  return useChange((address: string) =>
    v1ProjectsEdit({ ...call, path: { project_id: id }, body: { [MEMBERS[kind]]: address } }),
  )
}

/** Returns the project field that contains the endpoint's URL. */
export function memberOf(kind: Kind): string {
  return MEMBERS[kind]
}

export function useTest() {
  const call = useCall()
  const { id } = useProject()
  return useChange(async (webhook_id: string) => {
    const path = { project_id: id }
    return (await v1WebhooksTest({ ...call, path, body: { webhook_id } })).data.delivery_id
  })
}

/** @param onSaved called even if the form has been closed */
export function useAddWebhook(onSaved: () => void) {
  const call = useCall()
  const { id } = useProject()
  return useChange(async (body: V1WebhooksCreateData['body']) => {
    await v1WebhooksCreate({ ...call, path: { project_id: id }, body })
    onSaved()
  })
}

/** @param onSaved called even if the form has been closed */
export function useEditWebhook(webhook_id: string, onSaved: () => void) {
  const call = useCall()
  const { id } = useProject()
  return useChange(async (body: NonNullable<V1WebhooksEditData['body']>) => {
    const path = { project_id: id, webhook_id }
    if (Object.keys(body).length > 0) await v1WebhooksEdit({ ...call, path, body })
    onSaved()
  })
}

/** Turns a custom endpoint on or off, and shows the new state immediately. */
export function useToggleWebhook(webhook_id: string, onDone: (enabled: boolean) => void) {
  const call = useCall()
  const { id } = useProject()
  return useOptimistic({
    change: (enabled: boolean) =>
      v1WebhooksEdit({ ...call, path: { project_id: id, webhook_id }, body: { enabled } }),
    shown: (enabled) => ({ keys: [['webhooks', id]], id: webhook_id, changes: { enabled } }),
    onDone,
  })
}

/** Rotates the secret. The old secret keeps signing for `overlap_ms` milliseconds. */
export function useRotateSecret(webhook_id: string) {
  const call = useCall()
  const { id } = useProject()
  return useChange((overlap_ms: number) =>
    v1WebhooksRotate({ ...call, path: { project_id: id, webhook_id }, body: { overlap_ms } }),
  )
}

export function useRemoveWebhook(webhook_id: string) {
  const call = useCall()
  const { id } = useProject()
  return useChange(() => v1WebhooksRemove({ ...call, path: { project_id: id, webhook_id } }))
}

type Recovered = V1WebhooksRecoverResponse

/** @param onDone called even if the dialog has been closed */
export function useRecover(webhook_id: string, onDone: (recovered: Recovered) => void) {
  const call = useCall()
  const { id } = useProject()
  return useChange(async (body: V1WebhooksRecoverData['body']) => {
    const path = { project_id: id, webhook_id }
    onDone((await v1WebhooksRecover({ ...call, path, body })).data)
  })
}

export function useResend() {
  const call = useCall()
  const { id } = useProject()
  return useChange((delivery_id: string) =>
    v1WebhooksRedeliver({ ...call, path: { project_id: id, delivery_id } }),
  )
}
