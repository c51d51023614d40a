/** Rows of a table; each row is a list of cells. */
type Rows = readonly (readonly unknown[])[]

/** Writes a table as CSV. Escapes cells that a spreadsheet would treat as formulas. */
export async function toCsv(fields: readonly string[], rows: Rows): Promise<string> {
  // Loads the library on demand, because most visits export nothing.
  const { unparse } = await import('papaparse')
  const data = { fields: [...fields], data: rows.map((row) => [...row]) }
  return unparse(data, { escapeFormulae: true, newline: '\r\n' })
}
