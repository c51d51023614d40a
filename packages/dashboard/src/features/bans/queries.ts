import { type V1BansGetResponse, v1BansGet, v1BansList, v1BansPreview } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useList } from '../../components/table/use-list.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

export type Ban = V1BansGetResponse['ban']
export type BanKind = Ban['kind']
/** The target to block: one of a user's targets, or a value. */
export type BanTarget = { readonly kind: BanKind } & (
  | { readonly user_key: string }
  | { readonly value: string }
)

export const KINDS = ['device', 'network', 'chat'] as const satisfies BanKind[]
const PAGE = 100

export function useBans(kind: BanKind | undefined) {
  const call = useCall()
  const { id } = useProject()
  return useList(['bans', id, kind], async (after) => {
    const query = { limit: PAGE, ...(kind && { kind }), ...(after !== undefined && { after }) }
    const { bans, next } = (await v1BansList({ ...call, path: { project_id: id }, query })).data
    return { rows: bans, next }
  })
}

export function useBan(ban_id: string) {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['ban', id, ban_id],
    queryFn: async () => (await v1BansGet({ ...call, path: { project_id: id, ban_id } })).data.ban,
  })
}

/** Previews the users affected by a block, as soon as there is a target. */
export function useBanPreview(target: BanTarget | null) {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['ban preview', id, target],
    enabled: target !== null,
    retry: false,
    queryFn: async () =>
      (await v1BansPreview({ ...call, path: { project_id: id }, body: target as BanTarget })).data,
  })
}
