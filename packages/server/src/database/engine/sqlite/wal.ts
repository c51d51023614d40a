/**
 * Syncs SQLite's write-ahead log (WAL), which commits append to. SQLite would call `fdatasync` in every
 * commit and block the event loop. Here, a thread from Node's pool calls it.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const flush = promisify(fdatasync)

export class SqliteWal {
  readonly #descriptor: number

  /** The WAL of the database in `file`. It exists for as long as a connection is open. */
  constructor(file: string) {
    this.#descriptor = openSync(`${file}-wal`, 'a', 0o600)
  }

  /** Resolves when everything committed so far is durable. */
  sync(): Promise<void> {
    return flush(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
