import { useFilters } from '../../lib/address.ts'
import type { Sorting } from './types.ts'

/** A list's sort order, stored in the URL. */
export function useSorting(): Sorting {
  const [{ sort, order }, change] = useFilters()
  return {
    by: sort,
    isDescending: order === 'desc',
    onChange: (by, isDescending) =>
      change({ sort: by, order: by === undefined ? undefined : isDescending ? 'desc' : 'asc' }),
  }
}
