/**
 * A small table of figures. In narrow windows, each row has one line for its name and one for its figures.
 */
import type { ReactNode } from 'react'
import styles from './plain-table.module.css'

type Props = {
  readonly label: string
  readonly titles: readonly string[]
  /** The first cell names the row. */
  readonly rows: readonly {
    readonly id: string
    readonly name: ReactNode
    readonly cells: readonly string[]
  }[]
}

export function PlainTable({ label, titles, rows }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <div className={`scroll ${styles.frame}`} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, cells }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              {cells.map((cell, i) => (
                <td key={titles[i + 1]} data-title={titles[i + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
