/** A string that grows piece by piece. */

/** Pieces that are joined at once. A string built by `+=` would be a tree of all pieces, alive to the end. */
const MAX_PIECES = 1000

export class StringBuilder {
  readonly #pieces: string[] = []
  readonly #words: string[] = Array.from({ length: MAX_PIECES }, () => '')
  #count = 0

  get text(): string {
    return this.#pieces.join('') + this.#words.slice(0, this.#count).join('')
  }

  add(word: string): void {
    this.#words[this.#count] = word
    this.#count += 1
    if (this.#count < MAX_PIECES) return
    this.#pieces.push(this.#words.join(''))
    this.#count = 0
  }
}
