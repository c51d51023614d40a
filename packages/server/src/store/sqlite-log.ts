/**
 * The log of changes beside SQLite's file, which is where a commit writes. SQLite would wait for the disk with every commit, and
 * the event loop with it; here one of Node's own threads does.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const putOnDisk = promisify(fdatasync)

export class SqliteLog {
  readonly #descriptor: number

  /** Of the database in `file`; the log is there for as long as a connection to it is open. */
  constructor(file: string) {
    this.#descriptor = openSync(`${file}-wal`, 'a', 0o600)
  }

  /** Resolves when all that was committed before is on the disk. */
  sync(): Promise<void> {
    return putOnDisk(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
