/**
 * HTML from template literals. Values are escaped unless they are themselves the result of a template, so
 * external text can never become markup. Always put attribute values in quotation marks.
 */

/** Markup that is safe to send. Only `html` creates it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** `undefined`, `null` and `false` render nothing. A list renders its items in order. */
export type Piece = Markup | string | number | false | null | undefined | readonly Piece[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const SIGN = /[&<>"']|[^\0-\x7f]/u
const SIGNS = /[&<>"']|[^\0-\x7f]/gu

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0] ?? ''
  for (let index = 0; index < pieces.length; index += 1)
    text += textOf(pieces[index]) + (strings[index + 1] ?? '')
  return new Markup(text)
}

/**
 * Characters beyond ASCII become numeric references too. Node then takes a third less time to write long
 * strings, because they are single-byte, and the page is correct whatever charset the browser assumes.
 */
export function escapeText(text: string): string {
  // Almost no string needs escaping, and testing is cheaper than replacing.
  return SIGN.test(text) ? text.replace(SIGNS, (sign) => ESCAPES[sign] ?? `&#${sign.codePointAt(0)};`) : text
}

/** An object that only looks like markup, such as one from JSON, is rendered as text. */
function textOf(piece: Piece): string {
  if (piece === undefined || piece === null || piece === false) return ''
  if (Array.isArray(piece)) return piece.map(textOf).join('')
  return piece instanceof Markup ? piece.text : escapeText(String(piece))
}
