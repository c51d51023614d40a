/**
 * Formats a list as CSV (RFC 4180) that is safe to open in a spreadsheet, because no cell is evaluated as a
 * formula (see OWASP on CSV injection).
 */
import { CsvStream } from './endpoint.ts'

type Row = Readonly<Record<string, string | number | null>>

/** The first line contains the column names, even for an empty list. */
export function streamCsv<T>(
  fileName: string,
  pages: AsyncIterable<readonly T[]>,
  { columns, rowOf }: { readonly columns: readonly string[]; readonly rowOf: (one: T) => Row },
): CsvStream {
  return new CsvStream(fileName, partsOf(columns, pages, rowOf))
}

async function* partsOf<T>(
  columns: readonly string[],
  pages: AsyncIterable<readonly T[]>,
  rowOf: (one: T) => Row,
): AsyncGenerator<string> {
  yield line(columns)
  for await (const page of pages) {
    const rows = page.map(rowOf)
    yield rows.map((row) => line(columns.map((name) => row[name] ?? null))).join('')
  }
}

function line(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

/** Adds an apostrophe before anything that looks like a formula. */
function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const plain = /^\s*[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return `"${plain.replaceAll('"', '""')}"`
}
