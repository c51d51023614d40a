/**
 * Searches keys on the server by prefix, note or Discord ID, and offers actions for the first match. Devices
 * can't be searched, because the API returns only masked IDs.
 */
import { type V1ProjectUsersFilterResponse, v1ProjectUsersFilter } from '@scriptward/sdk'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { Command, defaultFilter } from 'cmdk'
import { useState } from 'react'
import { addressOf, withQuery } from '../lib/address.ts'
import { useRefusal } from '../lib/rights.ts'
import { shortKey } from '../lib/short-key.ts'
import { usePaused } from '../lib/use-paused.ts'
import { text } from '../messages/text.ts'
import { useCall } from '../queries/api.ts'
import { useProjectId } from '../queries/projects.ts'
import { type Closing, Item } from './palette-item.tsx'
import { useProjects } from './project-switch.tsx'

const SHORTEST = 2
/** The server's index needs at least three letters. Shorter searches scan a project's keys. */
const SHORTEST_ELSEWHERE = 3
const SHOWN = 6
const SHOWN_OF_ALL = 12
/**
 * Maximum number of other projects to search, newest first. Each project costs one request per pause in
 * typing.
 */
const OTHERS = 11
const MARK = 'key:'

/** Minimum score of a match. Lower scores mean that only single letters across the name match. */
const LEAST = 0.05

/** Server results always match. They rank below entries whose names contain the typed text. */
export function rankOf(id: string, typed: string, otherNames: readonly string[] = []): number {
  if (id.startsWith(MARK)) return Number.MIN_VALUE
  const rank = defaultFilter?.(id, typed) ?? 0
  if (rank >= LEAST) return rank
  const words = typed.trim().toLowerCase()
  return words !== '' && otherNames.some((each) => each.startsWith(words)) ? LEAST : 0
}

/** The keys found in each project. Keys from the open project come first. */
export function useFoundKeys(typed: string) {
  const call = useCall()
  const refusal = useRefusal('users:read')
  const search = usePaused(typed.trim())
  const ids = useSearched(refusal === undefined ? search.length : 0)
  const found = useQueries({
    queries: ids.map((project_id) => ({
      queryKey: ['palette keys', project_id, search],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { search, limit: SHOWN, order: 'newest' } as const
        return (await v1ProjectUsersFilter({ ...call, path: { project_id }, query, signal })).data.users
      },
    })),
    combine,
  })
  const isSearching = refusal === undefined && typed.trim().length >= SHORTEST
  const isComing = isSearching && (search !== typed.trim() || found.isFetching)
  return { users: found.users, isComing }
}

type User = V1ProjectUsersFilterResponse['users'][number]
type Page = Pick<UseQueryResult<User[]>, 'data' | 'isFetching'>

function combine(pages: readonly Page[]) {
  const users = pages.flatMap(({ data }) => data ?? []).slice(0, SHOWN_OF_ALL)
  return { users, isFetching: pages.some(({ isFetching }) => isFetching) }
}

/**
 * Keeps an entry selected while results change. The list itself selects its first entry only after typing. If
 * the selected key were no longer found, Enter would do nothing.
 */
export function useSelected(users: readonly User[]) {
  const [chosen, choose] = useState({ value: '', users })
  const isGone = chosen.value.startsWith(MARK) && chosen.users !== users
  const first = users[0] === undefined ? '' : MARK + users[0].key
  return { value: isGone ? first : chosen.value, onValueChange: (value: string) => choose({ value, users }) }
}

/** Returns the IDs of the projects to search. The API searches one project per call. */
function useSearched(length: number): readonly string[] {
  const open = useProjectId()
  const projects = useProjects().data ?? []
  if (length < SHORTEST) return []
  const others = length < SHORTEST_ELSEWHERE ? [] : projects.filter(({ id }) => id !== open)
  return [...(open === undefined ? [] : [open]), ...others.slice(0, OTHERS).map(({ id }) => id)]
}

type Props = Closing & { readonly users: readonly User[] }

export function Keys({ users, onClose }: Props) {
  const open = useProjectId()
  const projects = useProjects().data
  if (users.length === 0) return null
  const nameOf = (project: string) => projects?.find(({ id }) => id === project)?.name
  return (
    <Command.Group heading={text.frame.paletteKeys}>
      {users.map(({ key, note, project_id }) => (
        <Item key={key} id={MARK + key} address={addressOf.user(project_id, key)} onClose={onClose}>
          <code>{key}</code> <bdi className="hint">{note}</bdi>{' '}
          {project_id !== open && <bdi className="badge plain">{nameOf(project_id)}</bdi>}
        </Item>
      ))}
      {users.slice(0, 1).map((user) => (
        <Verbs key={user.key} user={user} onClose={onClose} />
      ))}
    </Command.Group>
  )
}

/** Each action opens its dialog on the user's page, because following a link must not change anything. */
function Verbs({ user, onClose }: Closing & { user: User }) {
  const { key, note, project_id } = user
  const verbs = user.blacklisted ? (['extend', 'reset', 'unblacklist'] as const) : VERBS
  const refusal = useRefusal('users:write')
  return verbs.map((verb) => (
    <Item
      key={verb}
      id={`${MARK}${verb} ${key}`}
      address={withQuery(addressOf.userPage(project_id, key), { new: verb })}
      refusal={refusal}
      onClose={onClose}
    >
      {text.frame.paletteVerbs[verb]} <bdi className="hint">{note ?? shortKey(key)}</bdi>
    </Item>
  ))
}

const VERBS = ['extend', 'reset', 'blacklist'] as const
