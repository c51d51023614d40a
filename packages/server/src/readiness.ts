/** Whether a run can be granted now: it needs a change of the database, and Valkey where several processes share it. */
import type { Database, Queries } from './database/engine/db.ts'
import { deleteProcess, putProcess } from './features/system/store/processes.ts'
import type { Valkey } from './platform/valkey/valkey.ts'

export type Readiness = {
  /** Rejects with the reason why no run can be granted. */
  check(): Promise<void>
  /** The same for the database alone. */
  checkDatabase(): Promise<void>
}

/** However many callers ask, the database is changed once in this time. */
const FRESH_MS = 1000
/** A change that waits for its turn, as behind a bulk change, is not refused: until it ends, the last result holds. */
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

/** Changes of the database that wait for the disk as those of a run do, and leave everything as it is. */
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

/** SQLite writes no page for an update that leaves a row as it was, so a row comes and goes. Nobody else sees it. */
async function changeAndUndo(tx: Queries): Promise<void> {
  await putProcess(tx, 'readiness', 0)
  await deleteProcess(tx, 'readiness')
}
