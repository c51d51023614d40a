/** The columns of the project list, and the function that sorts its rows. */
import type { V1ProjectsListResponse } from '@scriptward/sdk'
import { Avatar } from '../../components/avatar.tsx'
import type { Column, Sorting } from '../../components/table/types.ts'
import { addressOf } from '../../lib/address.ts'
import { LOCALE, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import styles from './projects.module.css'

type Row = V1ProjectsListResponse['projects'][number]

const t = text.projectList
const FIGURES = {
  customers: { title: t.customers, of: ({ counts }: Row) => counts?.users ?? 0 },
  scripts: { title: t.scripts, of: ({ counts }: Row) => counts?.scripts ?? 0 },
  running: { title: t.running, of: ({ total_instances }: Row) => total_instances },
  recent: { title: t.recent, of: ({ counts }: Row) => counts?.recent_runs ?? 0 },
  errors: { title: t.openErrors, of: ({ counts }: Row) => counts?.open_errors ?? 0 },
  executions: { title: text.executions, of: ({ total_executions }: Row) => total_executions },
}
type Figure = keyof typeof FIGURES
/** The only figure that fits in narrow windows. */
const MAIN: Figure = 'customers'

export const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    title: text.name,
    isMain: true,
    sort: { by: 'name' },
    cell: ({ id, name }) => (
      <a className={styles.name} href={addressOf.project(id)}>
        <Avatar id={id} />
        {name}
      </a>
    ),
  },
  ...(Object.keys(FIGURES) as Figure[]).map((id): Column<Row> => {
    const { title, of } = FIGURES[id]
    const place = id === MAIN ? ({ place: 'end-below' } as const) : {}
    const cell = (row: Row) => number(of(row))
    return { id, title, isNumber: true, sort: { by: id, isDescending: true }, cell, ...place }
  }),
]

const names = new Intl.Collator(LOCALE, { numeric: true })

/** Returns the rows in the given order. By default, the newest project comes first. */
export function sorted(rows: readonly Row[], { by, isDescending }: Sorting): readonly Row[] {
  const figure = by !== undefined && by in FIGURES ? FIGURES[by as Figure] : undefined
  if (!figure && by !== 'name') return rows
  const compare = (a: Row, b: Row) => (figure ? figure.of(a) - figure.of(b) : names.compare(a.name, b.name))
  return rows.toSorted((a, b) => (isDescending ? compare(b, a) : compare(a, b)))
}
