/**
 * Shares one pool of build processes among all servers of a test worker. Starting and warming up a process
 * takes longer than most builds in tests.
 */
import type { Config } from '../../src/config/config.ts'
import type { Obfuscator } from '../../src/features/builds/pool.ts'
import { makeLog } from '../../src/log.ts'
import { openObfuscator } from '../../src/open-deps.ts'

let pool: Obfuscator | undefined

/** The first caller's config determines the limits. */
export function sharedObfuscator(config: Config): Obfuscator {
  pool ??= openObfuscator(config, makeLog('error', process.stderr))
  const { buildScript, load } = pool
  return {
    buildScript: buildScript.bind(pool),
    load: load.bind(pool),
    // Other servers may still use it. Its processes end when they are idle.
    close: async () => {},
  }
}

/** Ends the shared processes. Tests that count processes call this first. */
export async function endSharedBuilds(): Promise<void> {
  await pool?.close()
  pool = undefined
}
