/** Rows as objects, made of the values that an engine answers. */

export type SqlValues = readonly unknown[]
export type RowMaker = (values: SqlValues) => Readonly<Record<string, unknown>>

/**
 * The engines give a row its members one by one, with a new string for every name, which for a wide row costs twice what
 * SQLite itself does. A literal written for the statement's columns has its shape from the start. The values of the columns
 * begin at `start`.
 */
export function rowMaker(columns: readonly string[], start = 0): RowMaker {
  const members = columns.map((name, index) => `${JSON.stringify(name)}: values[${start + index}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as RowMaker
}
