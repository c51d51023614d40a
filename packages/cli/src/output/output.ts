/** Prints results to standard output and everything else to standard error. */

import { styleText } from 'node:util'
import { dateOf, relativeTo } from '../durations.ts'

export type Sink = NodeJS.WriteStream

export type Output = {
  readonly isJson: boolean
  /** Prints a line of the result. Does nothing with `--json`. */
  line(text: string): void
  /** Prints the result as JSON. Does nothing without `--json`. */
  json(value: unknown): void
  /** Prints a message to standard error, even with `--json`. */
  note(text: string): void
  warn(text: string): void
  /**
   * Prints a table: aligned columns with a header on a terminal, tab-separated cells elsewhere, and one JSON
   * value per line with `--json`.
   */
  rows(table: Table): void
  /**
   * Formats a time for a cell: relative on a terminal, such as `3 hours ago`; a date elsewhere, for programs;
   * `-` if there is none.
   */
  when(time: number | null): string
  strong(text: string): string
  faint(text: string): string
}

type Table = {
  /** Empty for rows that are printed one at a time. */
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The JSON value of each row. */
  readonly values: readonly unknown[]
  /**
   * Printed to standard error if there are no rows. Explains what is missing and how to add the first one.
   */
  readonly empty: string
}

type Way = { readonly isJson: boolean; readonly now: () => number }

export function makeOutput(out: Sink, errors: Sink, { isJson, now }: Way): Output {
  const line = (text: string) => void (isJson || out.write(`${text}\n`))
  const json = (value: unknown) => void (isJson && out.write(`${JSON.stringify(value)}\n`))
  const styled = (format: 'bold' | 'dim' | 'yellow', text: string, stream: Sink) =>
    styleText(format, text, { stream, validateStream: true })
  return {
    isJson,
    line,
    json,
    note: (text) => void errors.write(`${text}\n`),
    warn: (text) => void errors.write(`${styled('yellow', 'warning:', errors)} ${text}\n`),
    strong: (text) => styled('bold', text, out),
    faint: (text) => styled('dim', text, out),
    when: (time) => (out.isTTY && time !== null ? relativeTo(now(), time) : dateOf(time)),
    rows({ head, rows, values, empty }) {
      for (const value of values) json(value)
      if (isJson) return
      if (rows.length === 0) return void errors.write(`${empty}\n`)
      if (!out.isTTY) return rows.forEach((row) => void line(row.map(plain).join('\t')))
      const [first = '', ...others] = aligned(head.length === 0 ? rows : [head, ...rows])
      line(head.length === 0 ? first : styled('bold', first, out))
      for (const other of others) line(other)
    },
  }
}

/** User-provided strings must not break lines or control the terminal. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(plain))
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  )
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Formats a size such as `8.4 KB`, in units of 1000 as in the dashboard. */
export function bytesOf(count: number): string {
  if (count < 1000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} KB` : `${(count / 1_000_000).toFixed(1)} MB`
}
