/** Rows of a table, cell by cell. */
type Rows = readonly (readonly unknown[])[]

/** Writes a table as CSV. Names that a spreadsheet would treat as formulas are escaped. */
export async function toCsv(fields: readonly string[], rows: Rows): Promise<string> {
  // Most visits export nothing, so the library loads on demand.
  const { unparse } = await import('papaparse')
  const data = { fields: [...fields], data: rows.map((row) => [...row]) }
  return unparse(data, { escapeFormulae: true, newline: '\r\n' })
}
