/** Downloads a table as CSV. */
import { toCsv } from '../../lib/csv.ts'
import { saveText } from '../../lib/save-text.ts'
import { text } from '../../messages/text.ts'

export type Sheet = {
  /** File name without extension. */
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** `title` is the accessible name of the table's content. */
export function Download({ title, sheet }: { title: string; sheet: () => Sheet }) {
  const save = async () => {
    const { name, head, rows } = sheet()
    saveText(`${name}.csv`, await toCsv(head, rows))
  }
  return (
    <button type="button" aria-label={text.statistics.downloadOf(title)} onClick={save}>
      {text.statistics.download}
    </button>
  )
}

/** Formats a UTC day, such as `2026-11-24`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
