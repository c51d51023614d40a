/** Which page is shown: it stands in the fragment of the address, so that links, back and reload work. */
import { useSyncExternalStore } from 'react'

export type Place = { readonly page: 'projects' } | { readonly page: 'project'; readonly id: string }

export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  const id = /^#\/projects\/([\w-]+)$/.exec(hash)?.[1]
  return id === undefined ? { page: 'projects' } : { page: 'project', id }
}

export const addressOf = {
  projects: '#/',
  project: (id: string) => `#/projects/${id}`,
} as const

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed)
  return () => removeEventListener('hashchange', changed)
}
