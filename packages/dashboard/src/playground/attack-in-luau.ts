/**
 * Runs an attack's Lua code in its own worker, because luau-web supports only one working state per worker.
 */
import { runIn } from '../features/scripts/run/run.ts'

/** Time limit of an attack, in seconds. */
const LIMIT = 10

/** Rejects if the attack does not finish in time. */
export async function attackInLuau(attack: string, files: readonly string[]): Promise<string> {
  const worker = new Worker(new URL('./luau-worker.ts', import.meta.url), { type: 'module' })
  const { signal } = new AbortController()
  let written = ''
  const { how } = await runIn(
    worker,
    { attack, files },
    {
      signal,
      limit: LIMIT,
      onLine: ({ text }) => {
        written = text
      },
    },
  )
  if (how !== 'done') throw new Error(`the attack ended: ${how}`)
  return written
}
