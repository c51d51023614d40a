/**
 * Retries operations that failed only because of another transaction: changes, migrations, and reads
 * during a migration.
 */
import { setTimeout } from 'node:timers/promises'
import { isSerializationFailure } from '../dialect.ts'

const MAX_ATTEMPTS = 5
const FIRST_BACKOFF_MS = 5

export async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries >= MAX_ATTEMPTS || !isSerializationFailure(error)) throw error
      await setTimeout(FIRST_BACKOFF_MS * 2 ** tries)
    }
  }
}
