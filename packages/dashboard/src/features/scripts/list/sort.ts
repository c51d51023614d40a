/** Sorts scripts in the browser, which has loaded all of them. */
import type { Sorting } from '../../../components/table/types.ts'
import { LOCALE } from '../../../lib/format.ts'
import { type Row, weekOf } from './activity.ts'

const VALUES: Readonly<Record<string, (row: Row) => number>> = {
  // Scripts without runs come last among the healthy ones.
  'crash-free': ({ activity }) => (activity ? (weekOf(activity).crashFree ?? 2) : 2),
  runs: ({ activity }) => (activity ? weekOf(activity).runs : 0),
  running: ({ activity }) => activity?.running ?? 0,
  uploaded: ({ activity }) => activity?.uploaded_at ?? 0,
}
const names = new Intl.Collator(LOCALE, { numeric: true })

/** Returns the rows in the given order. By default, the newest script comes first. */
export function sorted(rows: readonly Row[], { by, isDescending }: Sorting): readonly Row[] {
  const value = by === undefined ? undefined : VALUES[by]
  const compare = value
    ? (a: Row, b: Row) => value(a) - value(b)
    : by === 'name'
      ? (a: Row, b: Row) => names.compare(a.name, b.name)
      : undefined
  if (!compare) return rows
  return rows.toSorted((a, b) => (isDescending ? compare(b, a) : compare(a, b)))
}
