/**
 * The log of changes beside SQLite's file, which is where a commit writes. What it holds has to be moved into the file in
 * the end; SQLite does that in a commit, and the event loop waits for it. Here another thread does.
 */

/** Few enough for small changes to be moved before the log is as long as the writer lets it become. */
const MOVED_AFTER_COMMITS = 32

export class SqliteLog {
  readonly #move: () => Promise<void>
  #commits = 0
  #isMoving = false

  /** `move` moves what the log holds in another thread. */
  constructor(move: () => Promise<void>) {
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
}
