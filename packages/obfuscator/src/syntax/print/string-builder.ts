/**
 * Number of pieces to join in one step. A string built with `+=` would be a tree that keeps all its pieces in
 * memory.
 */
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
