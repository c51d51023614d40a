/** A list of the service, page by page, as a table wants it. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

type Page<Row> = {
  readonly rows: readonly Row[]
  readonly next: string | null
  readonly total?: number | undefined
}

/** A list that was scrolled far is not asked for again page by page just because one comes back to it. */
const MAX_PAGES_AGAIN = 3

type FetchPage<Row> = (after: string | undefined) => Promise<Page<Row>>

/** `fetchPage` asks for what follows `after`; undefined for the first page. */
export function listQuery<Row>(key: readonly unknown[], fetchPage: FetchPage<Row>) {
  return {
    queryKey: key,
    queryFn: ({ pageParam }: { readonly pageParam: string | undefined }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page<Row>) => next ?? undefined,
  }
}

/** The rows before stay while others are asked for. */
export function useList<Row>(key: readonly unknown[], fetchPage: FetchPage<Row>) {
  return useListOf(listQuery(key, fetchPage))
}

export function useListOf<Row>(options: ReturnType<typeof listQuery<Row>>) {
  const query = useInfiniteQuery({
    ...options,
    placeholderData: keepPreviousData,
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
