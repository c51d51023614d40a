/**
 * The write-ahead log of SQLite, which is where a commit writes. SQLite would call `fdatasync` in every commit and block
 * the event loop for it; here a thread of Node's own pool does.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const flush = promisify(fdatasync)

export class SqliteWal {
  readonly #descriptor: number

  /** The WAL of the database in `file`; it exists for as long as a connection is open. */
  constructor(file: string) {
    this.#descriptor = openSync(`${file}-wal`, 'a', 0o600)
  }

  /** Resolves when everything that was committed before is durable. */
  sync(): Promise<void> {
    return flush(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
