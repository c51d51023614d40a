/**
 * Prevents spreadsheets from evaluating exported strings as formulas. If a cell begins like a formula, adds a
 * leading apostrophe and puts the entire string in double quotes, as OWASP recommends for preventing CSV
 * injection. Imports remove both.
 */

/**
 * Matches the start of a cell that a spreadsheet would evaluate. Some spreadsheets ignore quotes, so every
 * comma counts as the start of a cell.
 */
const FORMULA = /(^|,)( *)(?='*[=+\-@\t\r])/g
const QUOTED_FORMULA = /(^|,)( *)'(?='*[=+\-@\t\r])/g
const WRAPPED = /^"(.*)"$/s
/** Matches the apostrophe of a cell from which the parser has already removed the double quotes. */
const QUOTED_CELL = /^'(?='*[=+\-@\t\r])/

/** Returns the string as it is exported. */
export function quoteFormulas(text: string): string {
  const quoted = text.replace(FORMULA, "$1$2'")
  return quoted === text ? text : `"${quoted.replaceAll('"', '""')}"`
}

/** Reverses `quoteFormulas`. Returns other strings unchanged. */
export function unquoteFormulas(text: string): string {
  const quoted = WRAPPED.exec(text)?.[1]?.replaceAll('""', '"')
  const plain = quoted?.replace(QUOTED_FORMULA, '$1$2')
  return plain !== undefined && quoteFormulas(plain) === text ? plain : text
}

/** Removes the apostrophe that a CSV export or a spreadsheet program has added to a cell. */
export function unquoteCell(cell: string): string {
  return cell.replace(QUOTED_CELL, '')
}
