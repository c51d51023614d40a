/** Saves a table as a file for a spreadsheet. */
import { unparse } from 'papaparse'
import { saveText } from '../../lib/save-text.ts'
import { text } from '../../messages/text.ts'

export type Sheet = {
  /** Of the file, without its ending. */
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** `title` is what is saved, for people who do not see where the button stands. */
export function Download({ title, sheet }: { title: string; sheet: () => Sheet }) {
  const save = () => {
    const { name, head, rows } = sheet()
    // A name of a script or executor that begins like a formula stays text in the spreadsheet.
    saveText(`${name}.csv`, unparse({ fields: [...head], data: rows.map((row) => [...row]) }, SAFE))
  }
  return (
    <button type="button" aria-label={text.statistics.downloadOf(title)} onClick={save}>
      {text.statistics.download}
    </button>
  )
}

const SAFE = { escapeFormulae: true, newline: '\r\n' }

/** `2026-11-24`, in UTC as the days are. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
