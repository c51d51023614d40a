/** A plan's Discord role. The field is shown only if the project's bot is on a server. */
import { v1DiscordGet, v1DiscordServers } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useFormContext } from 'react-hook-form'
import { SelectField } from '../../components/fields/select-field.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { Draft } from './draft.ts'

const t = text.plans

export function ChatRoleField({ error }: { readonly error: string | undefined }) {
  const { watch, setValue } = useFormContext<Draft>()
  const bot = useBot()
  const roles = useRoles(bot !== undefined)
  const chosen = watch('chat_role')
  if (bot === undefined) return null
  // Customers must not get staff permissions.
  const staff = new Set(bot.staff.map(({ chat_role_id }) => chat_role_id))
  const offered = (roles.data ?? []).filter(({ id, assignable }) => assignable && !staff.has(id))
  const isOffered = chosen === '' || offered.some(({ id }) => id === chosen)
  const known = roles.data?.find(({ id }) => id === chosen)
  return (
    <SelectField
      label={t.chatRole}
      hint={roles.isError ? t.chatRolesMissing : t.chatRoleHint}
      error={error}
      options={[
        ['', t.noChatRole],
        ...(isOffered ? [] : [[chosen, known ? t.chatRoleTooHigh(known.name) : chosen] as const]),
        ...offered.map(({ id, name }) => [id, name] as const),
      ]}
      value={chosen}
      onChange={(event) => setValue('chat_role', event.target.value)}
    />
  )
}

/** Returns undefined unless the bot has joined a server. */
function useBot() {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: ['discord', id],
    queryFn: async () => (await v1DiscordGet({ ...call, path: { project_id: id } })).data.discord,
  })
  return query.data?.server ? query.data : undefined
}

function useRoles(isConnected: boolean) {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['discord', id, 'roles'],
    queryFn: async () => (await v1DiscordServers({ ...call, path: { project_id: id } })).data.roles,
    enabled: isConnected,
  })
}
