/**
 * Optimistic updates: changes are shown immediately, and reverted with an error message if the server rejects
 * them.
 */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { errorMessages } from '../../queries/api.ts'
import { useToast } from './toasts.tsx'

type Shown = {
  /** Keys of the queries that contain the entry: lists, pages, or the entry itself. */
  readonly keys: readonly QueryKey[]
  /** The ID of the entry, or the key of a user. */
  readonly id: string
  readonly changes: Readonly<Record<string, unknown>>
}

type Options<Given, Answer> = {
  readonly change: (given: Given) => Promise<Answer>
  /** Values to show until the server responds. */
  readonly shown: (given: Given) => Shown
  readonly onDone?: (given: Given) => void
  /** Reloads the actual state. By default, all queries are reloaded. */
  readonly refresh?: (given: Given) => Promise<unknown>
}

export function useOptimistic<Given, Answer>({ change, shown, onDone, refresh }: Options<Given, Answer>) {
  const queries = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: change,
    onMutate: async (given) => {
      const { keys, id, changes } = shown(given)
      // A response from before the change would restore the previous state.
      await Promise.all(keys.map((queryKey) => queries.cancelQueries({ queryKey })))
      const before = keys.flatMap((queryKey) => queries.getQueriesData({ queryKey }))
      for (const [key, data] of before) queries.setQueryData(key, withChanges(data, id, changes))
      return before
    },
    onSuccess: (_, given) => onDone?.(given),
    onError: (error, _, before) => {
      for (const [key, data] of before ?? []) queries.setQueryData(key, data)
      showToast({ title: errorMessages(error).join(' ') })
    },
    onSettled: async (_, __, given) => {
      // A failed refetch must not be reported as a failed change.
      await (refresh?.(given) ?? queries.invalidateQueries()).catch(() => {})
    },
  })
}

/** Updates every copy of the entry. All other objects keep their identity. */
function withChanges(data: unknown, id: string, changes: Shown['changes']): unknown {
  if (Array.isArray(data)) {
    const items = data.map((item) => withChanges(item, id, changes))
    return items.some((item, n) => item !== data[n]) ? items : data
  }
  if (typeof data !== 'object' || data === null) return data
  const found: Readonly<Record<string, unknown>> = { ...data }
  if (found.id === id || found.key === id) return { ...found, ...changes }
  const fields = Object.entries(found).map(
    ([name, value]) => [name, withChanges(value, id, changes)] as const,
  )
  return fields.some(([name, value]) => value !== found[name]) ? Object.fromEntries(fields) : data
}
