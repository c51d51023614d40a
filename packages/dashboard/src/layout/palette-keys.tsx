/** Searches the keys of the open project on the server, by prefix, note or Discord ID, and offers changes to the first. */
import { v1ProjectUsersFilter } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Command, defaultFilter } from 'cmdk'
import { addressOf, withQuery } from '../lib/address.ts'
import { useRefusal } from '../lib/rights.ts'
import { shortKey } from '../lib/short-key.ts'
import { usePaused } from '../lib/use-paused.ts'
import { text } from '../messages/text.ts'
import { useCall } from '../queries/api.ts'
import { useProjectId } from '../queries/projects.ts'
import { type Closing, Item } from './palette-item.tsx'

const SHORTEST = 2
const SHOWN = 6
const MARK = 'key:'

/** Lower scores mean that only single letters scattered over the name match. */
const LEAST = 0.05

/** Server results always match, but rank below entries whose names contain the typed text. */
export function rankOf(id: string, typed: string, otherNames: readonly string[] = []): number {
  if (id.startsWith(MARK)) return Number.MIN_VALUE
  const rank = defaultFilter?.(id, typed) ?? 0
  if (rank >= LEAST) return rank
  const words = typed.trim().toLowerCase()
  return words !== '' && otherNames.some((each) => each.startsWith(words)) ? LEAST : 0
}

export function useFoundKeys(typed: string) {
  const call = useCall()
  const projectId = useProjectId()
  const refusal = useRefusal('users:read')
  const search = usePaused(typed.trim())
  const isEnabled = projectId !== undefined && refusal === undefined && search.length >= SHORTEST
  const path = { project_id: projectId ?? '' }
  const filter = { search, limit: SHOWN, order: 'newest' } as const
  const query = useQuery({
    queryKey: ['palette keys', projectId, search],
    queryFn: async ({ signal }) =>
      (await v1ProjectUsersFilter({ ...call, path, query: filter, signal })).data.users,
    enabled: isEnabled,
  })
  const isComing = isEnabled && (query.isFetching || search !== typed.trim())
  return { users: (isEnabled && query.data) || [], isComing }
}

type Props = Closing & { readonly users: ReturnType<typeof useFoundKeys>['users'] }

export function Keys({ users, onClose }: Props) {
  const projectId = useProjectId()
  if (users.length === 0 || projectId === undefined) return null
  return (
    <Command.Group heading={text.frame.paletteKeys}>
      {users.map(({ key, note }) => (
        <Item key={key} id={MARK + key} address={addressOf.user(projectId, key)} onClose={onClose}>
          <code>{key}</code> <bdi className="hint">{note}</bdi>
        </Item>
      ))}
      {users.slice(0, 1).map((user) => (
        <Verbs key={user.key} user={user} projectId={projectId} onClose={onClose} />
      ))}
    </Command.Group>
  )
}

type Found = Props['users'][number]

/** Each action opens its dialog on the user's page, because a link must not change anything by itself. */
function Verbs({ user, projectId, onClose }: Closing & { user: Found; projectId: string }) {
  const { key, note } = user
  const verbs = user.blacklisted ? (['extend', 'reset', 'unblacklist'] as const) : VERBS
  const refusal = useRefusal('users:write')
  return verbs.map((verb) => (
    <Item
      key={verb}
      id={`${MARK}${verb} ${key}`}
      address={withQuery(addressOf.userPage(projectId, key), { new: verb })}
      refusal={refusal}
      onClose={onClose}
    >
      {text.frame.paletteVerbs[verb]} <bdi className="hint">{note ?? shortKey(key)}</bdi>
    </Item>
  ))
}

const VERBS = ['extend', 'reset', 'blacklist'] as const
