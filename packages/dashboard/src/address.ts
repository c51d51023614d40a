/** Which page is shown: it stands in the fragment of the address, so that links, back and reload work. */
import { useSyncExternalStore } from 'react'

/** Pages of a person who is signed in. */
export type Room = 'projects' | 'project' | 'profile' | 'account' | 'tokens' | 'members' | 'audit'
/** Pages that are open without a sign-in; `secret` is that of a link. */
export type Door = 'sign-up' | 'reset' | 'set-up' | 'invitation' | 'confirm'

export type Place =
  | { readonly room: Exclude<Room, 'project'> }
  | { readonly room: 'project'; readonly id: string }
  | { readonly door: Door; readonly secret: string }
  | { readonly room: 'unknown' }

const ROOMS: Readonly<Record<string, Exclude<Room, 'project'>>> = {
  '': 'projects',
  profile: 'profile',
  account: 'account',
  tokens: 'tokens',
  members: 'members',
  audit: 'audit',
}
const DOOR = /^(sign-up|reset|set-up|invitation|confirm)(?:\/([\w-]+))?$/
const PROJECT = /^projects\/([\w-]+)$/

export function usePlace(): Place {
  return placeOf(useSyncExternalStore(subscribe, () => location.hash))
}

/** What stands behind `?` in the fragment: the filters of a list. */
export function useFilters(): [URLSearchParams, (filters: URLSearchParams) => void] {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  const [path = '', query = ''] = hash.split('?')
  const set = (filters: URLSearchParams) => {
    const text = filters.toString()
    history.replaceState(null, '', text === '' ? path : `${path}?${text}`)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
  return [new URLSearchParams(query), set]
}

export const addressOf = {
  projects: '#/',
  project: (id: string) => `#/projects/${id}`,
  profile: '#/profile',
  account: '#/account',
  tokens: '#/tokens',
  members: '#/members',
  audit: '#/audit',
  reset: '#/reset',
  signUp: '#/sign-up',
} as const

/** Also for links that count once: nothing goes back to them. */
export function goTo(address: string): void {
  history.replaceState(null, '', address)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

function placeOf(hash: string): Place {
  const path = (/^#\/([^?]*)/.exec(hash)?.[1] ?? '').replace(/\/$/, '')
  const [, door, secret = ''] = DOOR.exec(path) ?? []
  if (door !== undefined) return { door: door as Door, secret }
  const id = PROJECT.exec(path)?.[1]
  if (id !== undefined) return { room: 'project', id }
  return { room: ROOMS[path] ?? 'unknown' }
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed)
  return () => removeEventListener('hashchange', changed)
}
