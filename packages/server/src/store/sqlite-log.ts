/**
 * The log of changes beside SQLite's file, which is where a commit writes. SQLite waits for the disk itself, and the
 * event loop with it; this waits in another thread, for commits that were made without.
 */
import { type FileHandle, open } from 'node:fs/promises'

export class SqliteLog {
  readonly #path: string
  #file: Promise<FileHandle> | undefined

  /** Of the database in this file. */
  constructor(path: string) {
    this.#path = `${path}-wal`
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
