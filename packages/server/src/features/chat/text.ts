/**
 * The text of an answer, split into pieces that each chat service formats and escapes in its own way. Use
 * `value` for user input, such as a note or a name, so that it is shown literally.
 *
 *     say`${value(name)} expires ${time(key_expires)}.`
 */
export type Piece =
  | string
  | { readonly kind: 'value' | 'code' | 'secret' | 'block' | 'strong'; readonly text: string }
  | { readonly kind: 'time'; readonly at: number }
  /** A chat account, shown as a mention that does not notify it. */
  | { readonly kind: 'person'; readonly chatId: string }
export type Text = readonly Piece[]

export const value = (text: string | number): Piece => ({ kind: 'value', text: String(text) })
export const code = (text: string): Piece => ({ kind: 'code', text })
/** Hidden until the reader clicks it. */
export const secret = (text: string): Piece => ({ kind: 'secret', text })
/** Code to copy, which may have several lines. */
export const block = (text: string): Piece => ({ kind: 'block', text })
export const strong = (text: string): Piece => ({ kind: 'strong', text })
/** A time in milliseconds since 1970, shown in the reader's time zone. */
export const time = (at: number): Piece => ({ kind: 'time', at })
export const person = (chatId: string): Piece => ({ kind: 'person', chatId })

/** Builds a {@link Text}. Only the fixed parts of the template may contain markup. */
export function say(parts: TemplateStringsArray, ...pieces: readonly (Piece | Text)[]): Text {
  return parts.flatMap((part, at) => {
    const piece = pieces[at]
    const rest = piece === undefined ? [] : isText(piece) ? piece : [piece]
    return part === '' ? rest : [part, ...rest]
  })
}

/** Joins the texts with newlines. */
export function lines(...texts: readonly Text[]): Text {
  return texts.flatMap((text, at) => (at === 0 ? text : ['\n', ...text]))
}

function isText(piece: Piece | Text): piece is Text {
  return Array.isArray(piece)
}
