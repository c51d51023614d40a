import { text } from '../../messages/text.ts'
import styles from './table.module.css'
import type { TableProps } from './types.ts'

/** A table's keyboard shortcuts, shown on devices with a keyboard. */
export function KeyHints<Row>({ given: { rows, onOpen, onEdit, selection } }: { given: TableProps<Row> }) {
  const t = text.frame.keys
  if (rows.length < 2 || (!onOpen && !selection)) return null
  const hints = [
    [['J', 'K'], t.move],
    ...(onOpen ? [[['Enter'], t.open] as const] : []),
    ...(onEdit ? [[['E'], t.edit] as const] : []),
    ...(selection ? [[['X'], t.select] as const] : []),
  ] as const
  return (
    <p className={styles.keys} aria-hidden="true">
      {hints.map(([keys, does]) => (
        <span key={does}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {does}
        </span>
      ))}
    </p>
  )
}
