/** The words of locked parts, and the statements by which their code gets them. */

import type { Local } from '../syntax/ast.ts'
import { WordList } from '../vm/word-list.ts'

/** A statement that declares the local for the stream of a locked part: the rest of its block. */
export type Lease = { readonly node: Local; readonly words: LeasedWords }

/**
 * The instruction stream of a locked part. Its words stand in the text of the lock, so only the key tells the
 * order of the code.
 */
export class LeasedWords extends WordList {
  /** The lock that holds them. */
  readonly lock: number

  constructor(lock: number) {
    super()
    this.lock = lock
  }
}
