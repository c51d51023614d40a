/**
 * Words of an instruction stream. They are reserved for a block first, and set once the addresses of other
 * blocks are known.
 */
export class WordList {
  readonly words: number[] = []

  /** Reserves words. @returns the 1-based index of the first one. */
  reserve(words: readonly number[]): number {
    const first = this.words.length + 1
    for (const word of words) this.words.push(word)
    return first
  }

  set(index: number, word: number): void {
    this.words[index - 1] = word
  }
}
