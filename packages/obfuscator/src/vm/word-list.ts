/** Words of an instruction stream, which are reserved for a block and set once it is known where the others are. */
export class WordList {
  readonly words: number[] = []

  /** Reserves words. @returns the index of the first one, from 1. */
  reserve(words: readonly number[]): number {
    const first = this.words.length + 1
    for (const word of words) this.words.push(word)
    return first
  }

  set(index: number, word: number): void {
    this.words[index - 1] = word
  }
}
