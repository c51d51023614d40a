/** What a command prints: results to standard output, everything else to standard error. */

import { styleText } from 'node:util'

/** Something that text is written to, as Node has its streams. */
export type Sink = NodeJS.WriteStream

export type Output = {
  readonly isJson: boolean
  /** A result, for people and pipes; nothing with `--json`. */
  line(text: string): void
  /** The whole result, with `--json` only. */
  json(value: unknown): void
  /** What happens meanwhile: on standard error, also with `--json`. */
  note(text: string): void
  warn(text: string): void
  /** With a head and columns on a terminal, with tabs between the cells elsewhere; one JSON text a line with `--json`. */
  rows(table: Table): void
  strong(text: string): string
  faint(text: string): string
}

type Table = {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** What `--json` prints of each row. */
  readonly values: readonly unknown[]
}

export function makeOutput(out: Sink, errors: Sink, isJson: boolean): Output {
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
    rows({ head, rows, values }) {
      for (const value of values) json(value)
      if (!out.isTTY) for (const row of rows) line(row.map(plain).join('\t'))
      else
        for (const [index, row] of aligned([head, ...rows]).entries())
          line(index ? row : styled('bold', row, out))
    },
  }
}

/** A cell of people's texts must not break the line or steer the terminal. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it takes out.
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

/** `8.4 KB`; thousands, as the dashboard has them. */
export function bytesOf(count: number): string {
  if (count < 1000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} KB` : `${(count / 1_000_000).toFixed(1)} MB`
}
