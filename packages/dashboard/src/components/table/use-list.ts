/** Loads a list from the API page by page. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

type Page<Row> = {
  readonly rows: readonly Row[]
  readonly next: string | null
  readonly total?: number | undefined
}

/** Returning to a long list should not reload all of its pages. */
const MAX_PAGES_AGAIN = 3

type FetchPage<Row> = (after: string | undefined) => Promise<Page<Row>>

/** `fetchPage` loads the page after `after`; undefined for the first page. */
export function listQuery<Row>(key: readonly unknown[], fetchPage: FetchPage<Row>) {
  return {
    queryKey: key,
    queryFn: ({ pageParam }: { readonly pageParam: string | undefined }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page<Row>) => next ?? undefined,
  }
}

/** Previous rows stay visible while others load. */
export function useList<Row>(key: readonly unknown[], fetchPage: FetchPage<Row>, live?: Live) {
  return useListQuery(listQuery(key, fetchPage), live)
}

/** Reloads the list at this interval while only its first page is loaded. */
type Live = { readonly everyMs: number }

export function useListQuery<Row>(options: ReturnType<typeof listQuery<Row>>, live?: Live) {
  const query = useInfiniteQuery({
    ...options,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (live && state.data?.pages.length === 1 ? live.everyMs : false),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchOnMount: ({ state }) => (state.data?.pages.length ?? 0) <= MAX_PAGES_AGAIN,
  })
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.rows) ?? [], [query.data])
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const more = useMemo(
    () => (hasNextPage ? { isLoading: isFetchingNextPage, load: () => void fetchNextPage() } : undefined),
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  return { query, rows, more, total: query.data?.pages[0]?.total }
}
