/** A table's column headings: the checkbox for all rows, and buttons that sort. */
import { text } from '../../messages/text.ts'
import styles from './table.module.css'
import { Tick } from './tick.tsx'
import type { Column, Selection, Sorting, TableProps } from './types.ts'
import { withOrWithout } from './with-or-without.ts'

export function Head<Row>({ given }: { given: TableProps<Row> }) {
  const { columns, selection, sorting, actions } = given
  return (
    <thead>
      <tr>
        {selection && (
          <th className={styles.check}>
            <SelectAll {...given} selection={selection} />
          </th>
        )}
        {columns.map((column) => (
          <Heading key={column.id} column={column} sorting={sorting} />
        ))}
        {actions && (
          <th className={styles.actions}>
            <span className="unseen-text">{text.frame.actions}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

type HeadingProps = {
  readonly column: Pick<Column<never>, 'title' | 'isNumber' | 'isMain' | 'sort'>
  readonly sorting: Sorting | undefined
}

function Heading({ column: { title, isNumber, isMain, sort }, sorting }: HeadingProps) {
  const classes = [isNumber && styles.number, isMain && styles.main].filter(Boolean).join(' ') || undefined
  if (!sorting || !sort)
    return (
      <th className={classes} scope="col">
        {title}
      </th>
    )
  const isSorted = sorting.by === sort.by
  const direction = sorting.isDescending ? 'descending' : 'ascending'
  return (
    <th className={classes} scope="col" aria-sort={isSorted ? direction : 'none'}>
      <button type="button" className={styles.sort} onClick={() => sortNext(sort, sorting)}>
        {title}
        <svg viewBox="0 0 8 8" aria-hidden="true" data-turned={!sorting.isDescending || undefined}>
          <path d="M1 2.5l3 3 3-3" />
        </svg>
      </button>
    </th>
  )
}

/** The first click sorts, the second reverses, and the third returns to the default order. */
function sortNext({ by, isDescending = false }: NonNullable<Column<never>['sort']>, sorting: Sorting): void {
  if (sorting.by !== by) sorting.onChange(by, isDescending)
  else if (sorting.isDescending === isDescending) sorting.onChange(by, !isDescending)
  else sorting.onChange(undefined, false)
}

function SelectAll<Row>({ rows, keyOf, selection }: TableProps<Row> & { selection: Selection }) {
  const keys = rows.map(keyOf)
  const isAll = keys.length > 0 && keys.every((key) => selection.chosen.has(key))
  const choose = (isTicked: boolean) => selection.onChange(withOrWithout(selection.chosen, keys, isTicked))
  return <Tick label={text.frame.selectAll} isTicked={isAll} onTick={choose} />
}
