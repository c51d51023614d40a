/**
 * Shares one pool of build processes among all servers of a test worker. Starting and warming up a process
 * takes longer than most builds in tests.
 */
import type { Config } from '../../src/config/config.ts'
import type { Obfuscator } from '../../src/features/builds/pool.ts'
import { makeLog } from '../../src/log.ts'
import { openObfuscator } from '../../src/open-deps.ts'

let pool: Obfuscator | undefined

/** The config of the first build determines the limits. */
export function sharedObfuscator(config: Config): Obfuscator {
  return {
    buildScript: (request) => current(config).buildScript(request),
    load: () => current(config).load(),
    // Other servers may still use it. Its processes end when they are idle.
    close: async () => {},
  }
}

/** Servers look it up for each build, because a test may have ended the previous one. */
function current(config: Config): Obfuscator {
  pool ??= openObfuscator(config, makeLog('error', process.stderr))
  return pool
}

/** Ends the shared processes. Tests that count processes call this first. */
export async function endSharedBuilds(): Promise<void> {
  await pool?.close()
  pool = undefined
}
