/**
 * Determines whether runs can be granted now, which requires a writable database and, with several processes,
 * a reachable Valkey server.
 */
import type { Database, Queries } from './database/engine/db.ts'
import { deleteProcess, putProcess } from './features/system/store/processes.ts'
import type { Valkey } from './platform/valkey/valkey.ts'

export type Readiness = {
  /** Rejects with the reason why runs can't be granted. */
  check(): Promise<void>
  checkDatabase(): Promise<void>
}

/** The database is written to at most once per interval, no matter how many callers check. */
const FRESH_MS = 1000
/**
 * A change that waits in the queue, for example behind a bulk change, isn't a failure. The last result stays
 * valid until the change completes.
 */
const PATIENCE_MS = 3000

export function openReadiness(
  db: Pick<Database, 'transaction'>,
  valkey: Pick<Valkey, 'ping'> | undefined,
): Readiness {
  const changes = new Changes(db)
  const checkDatabase = () => changes.check()
  return {
    checkDatabase,
    check: async () => {
      await Promise.all([checkDatabase(), valkey?.ping()])
    },
  }
}

/** Makes test writes that wait for the disk, like a run's writes, but leave the database unchanged. */
class Changes {
  readonly #db: Pick<Database, 'transaction'>
  #asked: Promise<void> = Promise.resolve()
  #freshUntil = 0
  #last: () => void = () => {}

  constructor(db: Pick<Database, 'transaction'>) {
    this.#db = db
  }

  async check(): Promise<void> {
    if (performance.now() >= this.#freshUntil) this.#ask()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS)
    })
    await Promise.race([this.#asked, late.then(() => this.#last())]).finally(() => clearTimeout(timer))
  }

  #ask(): void {
    this.#freshUntil = Number.POSITIVE_INFINITY
    this.#asked = this.#db.transaction(changeAndUndo)
    const settle = (last: () => void) => {
      this.#last = last
      this.#freshUntil = performance.now() + FRESH_MS
    }
    this.#asked.then(
      () => settle(() => {}),
      (error: unknown) =>
        settle(() => {
          throw error
        }),
    )
  }
}

/**
 * SQLite doesn't write a page for an update that changes nothing, so a row is inserted and deleted instead.
 * No other connection sees the row.
 */
async function changeAndUndo(tx: Queries): Promise<void> {
  await putProcess(tx, 'readiness', 0)
  await deleteProcess(tx, 'readiness')
}
