/** Rows of a table; each row is a list of cells. */
type Rows = readonly (readonly unknown[])[]

/**
 * Matches cells that a spreadsheet would treat as formulas. They are escaped with a leading apostrophe. Cells
 * that already begin with one are escaped too, so that an import can restore them. The server uses the same
 * pattern.
 */
export const FORMULA = /^'*[=+\-@\t\r]/
const ESCAPED = /^'(?='*[=+\-@\t\r])/

/** Reverses the escaping. */
export function unescapeFormula(cell: string): string {
  return cell.replace(ESCAPED, '')
}

/** Writes a table as CSV. Escapes cells that a spreadsheet would treat as formulas. */
export async function toCsv(fields: readonly string[], rows: Rows): Promise<string> {
  // Loads the library on demand, because most visits export nothing.
  const { unparse } = await import('papaparse')
  const data = { fields: [...fields], data: rows.map((row) => [...row]) }
  return unparse(data, { escapeFormulae: FORMULA, newline: '\r\n' })
}
