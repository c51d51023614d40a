/**
 * Texts of users in an export that a spreadsheet may open. A cell that begins like a formula gets an apostrophe, and the
 * whole text double quotes, as OWASP recommends against CSV injection; an import takes both away.
 */

/** The beginning of a cell that a spreadsheet would calculate. A comma begins a cell even where quotes are ignored. */
const FORMULA = /(^|,)( *)(?='*[=+\-@\t\r])/g
const QUOTED_FORMULA = /(^|,)( *)'(?='*[=+\-@\t\r])/g
const WRAPPED = /^"(.*)"$/s

/** The text as it is exported. */
export function quoteFormulas(text: string): string {
  const quoted = text.replace(FORMULA, "$1$2'")
  return quoted === text ? text : `"${quoted.replaceAll('"', '""')}"`
}

/** The text that `quoteFormulas` was given; any other text stays as it is. */
export function unquoteFormulas(text: string): string {
  const quoted = WRAPPED.exec(text)?.[1]?.replaceAll('""', '"')
  const plain = quoted?.replace(QUOTED_FORMULA, '$1$2')
  return plain !== undefined && quoteFormulas(plain) === text ? plain : text
}
