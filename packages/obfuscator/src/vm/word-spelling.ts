/** The encoding of the words of an instruction stream as digits, least significant first. */

/** The number of symbols available as digits. */
export const BASE = 93

export function spellWord(value: number, digits: number, alphabet: string | readonly string[]): string {
  let text = ''
  for (let rest = value, i = 0; i < digits; i++) {
    text += alphabet[rest % BASE]
    rest = Math.floor(rest / BASE)
  }
  return text
}
