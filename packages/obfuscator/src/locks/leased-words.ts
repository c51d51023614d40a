/** The instruction words of server-locked blocks, and the statements that read them in the locked code. */

import type { Local } from '../syntax/ast.ts'
import { WordList } from '../vm/word-list.ts'

/**
 * A statement that declares the local for the instruction stream of a locked block. Its scope is the rest of
 * the enclosing block.
 */
export type Lease = { readonly node: Local; readonly words: LeasedWords }

/**
 * The instruction stream of a locked block. Its words are part of the lock's plaintext, so the order of the
 * code can't be read without the key stream.
 */
export class LeasedWords extends WordList {
  /** Number of the lock whose plaintext contains the words. */
  readonly lock: number

  constructor(lock: number) {
    super()
    this.lock = lock
  }
}
