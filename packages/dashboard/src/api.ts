/** The service as the pages see it: one connection under the key of the tab, and what to do when it is refused. */
import { type Connection, connect, ServiceError } from '@scriptward/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, createElement, type ReactNode, useContext, useMemo } from 'react'
import { text } from './text.ts'

type Api = { readonly connection: Connection; readonly onRefused: () => void }

const ApiContext = createContext<Api | null>(null)

export function ApiProvider(given: { apiKey: string; onRefused: () => void; children: ReactNode }) {
  const { apiKey, onRefused, children } = given
  const connection = useMemo(() => connect({ baseUrl: location.origin, apiKey }), [apiKey])
  const api = useMemo(() => ({ connection, onRefused }), [connection, onRefused])
  return createElement(ApiContext.Provider, { value: api }, children)
}

/** What every call takes: the connection, and errors thrown as {@link ServiceError}. */
export function useCall(): { readonly client: Connection; readonly throwOnError: true } {
  return { client: useApi().connection, throwOnError: true }
}

/** A change: what is shown is asked for again afterwards, whatever came of it. */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries() })
}

/** The words of an error for the person in front of the screen; a refused key ends the visit. */
export function useComplaint(error: unknown): string[] {
  const { onRefused } = useApi()
  if (error === null || error === undefined) return []
  if (!(error instanceof ServiceError)) return [text.unreachable]
  if (error.status === 401) queueMicrotask(onRefused)
  const located = error.members.obfuscator_errors ?? error.members.failed
  return Array.isArray(located) && located.length > 0 ? located.map(wordsOf) : [error.message]
}

function wordsOf(entry: { param?: string; field?: string; message?: string; errors?: string[] }): string {
  return entry.message ?? `${entry.field}: ${(entry.errors ?? []).join(', ')}`
}

function useApi(): Api {
  const api = useContext(ApiContext)
  if (api === null) throw new Error('used outside ApiProvider')
  return api
}
