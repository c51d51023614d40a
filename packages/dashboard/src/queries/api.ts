/** Access to the API: a connection that is authenticated by the session cookie, and error handling. */
import { type Connection, ServiceError } from '@scriptward/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Context, createContext, useContext } from 'react'
import { NoPasskey } from '../lib/no-passkey.ts'
import { text } from '../messages/text.ts'

export const ConnectionContext: Context<Connection | null> = createContext<Connection | null>(null)

/**
 * Options for every call: the connection to use, and the flag that makes it throw errors as a
 * {@link ServiceError}.
 */
export type Calling = { readonly client: Connection; readonly throwOnError: true }

export function useCall(): Calling {
  const client = useContext(ConnectionContext)
  if (client === null) throw new Error('used outside ConnectionContext')
  return { client, throwOnError: true }
}

/**
 * Runs a mutation and then refreshes the queries, even if the mutation failed. While offline, a mutation
 * fails immediately and is not queued.
 */
export function useChange<Props, Answer>(change: (given: Props) => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    networkMode: 'always',
    onSettled: () => queries.invalidateQueries(),
  })
}

type Located = { param?: string; field?: string; message?: string; errors?: string[] }

/** Returns the messages to show for an error. */
export function errorMessages(error: unknown): string[] {
  if (error === null || error === undefined) return []
  if (error instanceof NoPasskey) return [error.isKnown ? text.passkeyKnown : text.passkeyFailed]
  if (!(error instanceof ServiceError)) return [text.unreachable]
  if (error.type === 'fresh_sign_in_needed') return [text.notProved]
  const needs = missingRight(error)
  if (needs !== undefined) return [rightText(needs)]
  const located = locatedIn(error)
  if (located.length > 0) return located.map(locatedText)
  return [refusalOf(error)]
}

/** If the request exceeded a limit, the message includes that limit. */
function refusalOf({ type, message, members, requestId }: ServiceError): string {
  const { limit } = members
  const over = typeof limit === 'number' ? text.overLimit[type as keyof typeof text.overLimit] : undefined
  if (over !== undefined) return over(Number(limit))
  const words = text.refusals[type as keyof typeof text.refusals] ?? sentence(message)
  return type === 'internal' && requestId !== '' ? `${words} ${text.requestIs(requestId)}` : words
}

/** Returns the permission that was missing; undefined if the error had a different cause. */
export function missingRight(error: unknown): string | undefined {
  const needs = error instanceof ServiceError && error.status === 403 ? error.members.needs : undefined
  return typeof needs === 'string' ? needs : undefined
}

export function rightText(needs: string, description = text.rightTexts[needs] ?? needs): string {
  return needs.includes(':')
    ? text.needs(needs, description.replace(/\.(⟧?)$/, '$1'))
    : text.needsPlain(needs)
}

/** Returns the errors of individual request fields, by field name. */
export function errorsOfFields(error: unknown): Readonly<Record<string, string>> {
  const located = error instanceof ServiceError ? locatedIn(error) : []
  return Object.fromEntries(located.map((each) => [each.field ?? each.param ?? '', sentence(detailOf(each))]))
}

function locatedIn(error: ServiceError): Located[] {
  const located = error.members.obfuscator_errors ?? error.members.failed
  return Array.isArray(located) ? (located as Located[]) : []
}

function locatedText(entry: Located): string {
  return entry.message ?? `${entry.field ?? entry.param}: ${(entry.errors ?? []).join(', ')}`
}

function detailOf(entry: Located): string {
  return entry.message ?? (entry.errors ?? []).join(', ')
}

/** Capitalizes an API message and adds a period. */
export function sentence(message: string): string {
  const first = message.slice(0, 1).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
