import {
  type V1DiscordEditData,
  type V1DiscordGetResponse,
  type V1DiscordServersResponse,
  v1DiscordCompare,
  v1DiscordConnect,
  v1DiscordDisconnect,
  v1DiscordEdit,
  v1DiscordGet,
  v1DiscordInstall,
  v1DiscordServers,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRefusal } from '../../lib/rights.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

export type Bot = NonNullable<V1DiscordGetResponse['discord']>
export type Staff = V1DiscordEditData['body']['staff'][number]
export type Servers = Pick<V1DiscordServersResponse, 'servers' | 'roles'>

export const WRITE = 'projects:write'
/** A server's roles rarely change, and each request calls Discord's API. */
const SERVERS_STALE_MS = 60_000

export function useDiscord() {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['discord', id],
    queryFn: async () => (await v1DiscordGet({ ...call, path: { project_id: id } })).data,
  })
}

/**
 * Loads the servers that the bot has joined, and the roles of its configured server. Requires permission to
 * change the bot.
 */
export function useServers({ application_id, server }: Bot) {
  const call = useCall()
  const { id } = useProject()
  const isAllowed = useRefusal(WRITE) === undefined
  return useQuery({
    queryKey: ['discord servers', id, application_id, server?.id],
    queryFn: async () => (await v1DiscordServers({ ...call, path: { project_id: id } })).data,
    staleTime: SERVERS_STALE_MS,
    retry: false,
    enabled: isAllowed,
  })
}

/** @param onSaved called even if the form has been closed */
export function useConnect(onSaved: (bot: Bot) => void) {
  const call = useCall()
  const { id } = useProject()
  return useChange(async (bot_token: string) => {
    const { data } = await v1DiscordConnect({ ...call, path: { project_id: id }, body: { bot_token } })
    onSaved(data.discord)
  })
}

/** Without a server, the bot keeps its current one, or uses the only server that it has joined. */
export function useInstall(onDone: (bot: Bot) => void) {
  const call = useCall()
  const { id } = useProject()
  return useChange(async (server_id: string | undefined) => {
    const body = server_id === undefined ? {} : { server_id }
    const { data } = await v1DiscordInstall({ ...call, path: { project_id: id }, body })
    onDone(data.discord)
  })
}

export function useEditStaff() {
  const call = useCall()
  const { id } = useProject()
  return useChange((staff: readonly Staff[]) =>
    v1DiscordEdit({ ...call, path: { project_id: id }, body: { staff: [...staff] } }),
  )
}

export function useCompare(onStarted: () => void) {
  const call = useCall()
  const { id } = useProject()
  return useChange(async () => {
    await v1DiscordCompare({ ...call, path: { project_id: id } })
    onStarted()
  })
}

export function useDisconnect() {
  const call = useCall()
  const { id } = useProject()
  return useChange(() => v1DiscordDisconnect({ ...call, path: { project_id: id } }))
}
