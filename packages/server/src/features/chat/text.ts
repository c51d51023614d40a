/**
 * The text of an answer as pieces, so that each chat service can format and escape them in its own way. Everything that
 * someone typed, such as a note or a name, is a `value`, which is shown literally.
 *
 *     say`${value(name)} expires ${time(key_expires)}.`
 */
export type Piece =
  | string
  | { readonly kind: 'value' | 'code' | 'secret' | 'block' | 'strong'; readonly text: string }
  | { readonly kind: 'time'; readonly at: number }
  /** Someone's account on the chat service, which is not notified. */
  | { readonly kind: 'person'; readonly chatId: string }
export type Text = readonly Piece[]

export const value = (text: string | number): Piece => ({ kind: 'value', text: String(text) })
export const code = (text: string): Piece => ({ kind: 'code', text })
/** Hidden until the reader clicks it. */
export const secret = (text: string): Piece => ({ kind: 'secret', text })
/** Lines of code to copy. */
export const block = (text: string): Piece => ({ kind: 'block', text })
export const strong = (text: string): Piece => ({ kind: 'strong', text })
/** A point in time, in milliseconds, shown in the reader's time zone. */
export const time = (at: number): Piece => ({ kind: 'time', at })
export const person = (chatId: string): Piece => ({ kind: 'person', chatId })

/** Only the fixed parts of the template are text that may have markup. */
export function say(parts: TemplateStringsArray, ...pieces: readonly (Piece | Text)[]): Text {
  return parts.flatMap((part, at) => {
    const piece = pieces[at]
    const rest = piece === undefined ? [] : isText(piece) ? piece : [piece]
    return part === '' ? rest : [part, ...rest]
  })
}

/** One line for each text. */
export function lines(...texts: readonly Text[]): Text {
  return texts.flatMap((text, at) => (at === 0 ? text : ['\n', ...text]))
}

function isText(piece: Piece | Text): piece is Text {
  return Array.isArray(piece)
}
