/**
 * The log of changes beside SQLite's file, which is where a commit writes. SQLite waits for the disk itself and moves
 * what the log holds into the file, and the event loop waits with it; other threads do both here.
 */
import { type FileHandle, open } from 'node:fs/promises'

/** So many are some 500 pages, half of what SQLite by itself lets the log grow to. */
const MOVED_AFTER_COMMITS = 32

export class SqliteLog {
  readonly #path: string
  readonly #move: () => Promise<void>
  #file: Promise<FileHandle> | undefined
  #commits = 0
  #isMoving = false

  /** Of the database in this file; `move` moves what the log holds in another thread. */
  constructor(path: string, move: () => Promise<void>) {
    this.#path = `${path}-wal`
    this.#move = move
  }

  /** Called after each commit. What cannot be moved now is moved by the writer in the end. */
  committed(): void {
    this.#commits += 1
    if (this.#commits < MOVED_AFTER_COMMITS || this.#isMoving) return
    this.#commits = 0
    this.#isMoving = true
    const done = () => {
      this.#isMoving = false
    }
    this.#move().then(done, done)
  }

  /** Resolves when all that is committed by now is on the disk. */
  async sync(): Promise<void> {
    const file = await this.#opened()
    await file.datasync()
  }

  async close(): Promise<void> {
    const file = await this.#file
    await file?.close()
  }

  /** Whoever asks after it has failed tries again. */
  #opened(): Promise<FileHandle> {
    this.#file ??= open(this.#path, 'r+').catch((error) => {
      this.#file = undefined
      throw error
    })
    return this.#file
  }
}
