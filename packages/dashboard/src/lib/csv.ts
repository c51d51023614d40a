/** Rows of a table; each row is a list of cells. */
type Rows = readonly (readonly unknown[])[]

/**
 * Cells that get an apostrophe, so that spreadsheets don't evaluate them: those that look like a formula, even
 * after apostrophes.
 */
export const FORMULA = /^'*[=+\-@\t\r]/
const QUOTED = /^'(?='*[=+\-@\t\r])/

/** Removes the apostrophe that an export added to a cell. */
export function unquoted(cell: string): string {
  return cell.replace(QUOTED, '')
}

/** Writes a table as CSV. Escapes cells that a spreadsheet would treat as formulas. */
export async function toCsv(fields: readonly string[], rows: Rows): Promise<string> {
  // Loads the library on demand, because most visits export nothing.
  const { unparse } = await import('papaparse')
  const data = { fields: [...fields], data: rows.map((row) => [...row]) }
  return unparse(data, { escapeFormulae: FORMULA, newline: '\r\n' })
}
