/**
 * Opens what everything stands on, for the service and for the operators' commands alike: database, keyring and
 * obfuscator. It listens nowhere and starts no job; the obfuscator's threads start with its first work.
 */
import { mkdirSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { type LoaderRuntime, loaderCore, packCore } from '@scriptward/client/bundle'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { isNewStore } from './domain/accounts/customers.ts'
import { Refused } from './domain/refusals.ts'
import { unpack } from './obfuscation/lz4.ts'
import { ObfuscationPool, type Obfuscator } from './obfuscation/pool.ts'
import type { BuildLoader } from './protocol/loader-builds.ts'
import { openProtocol, type Protocol } from './protocol/protocol.ts'
import { openDatabase } from './store/engine/open.ts'

/** Clock and chance are the machine's unless a test brings its own. */
export type Surroundings = {
  readonly now: () => number
  readonly random: (count: number) => Buffer
  readonly log: Logger
}

const BYTES_PER_MIB = 1_048_576
/** As much as the keys of a million users need. */
const MOST_CACHE_MB = 256
const CACHE_PART = 32

export type Opened = { readonly deps: Deps; close(): Promise<void> }

export async function openDeps(config: Config, surroundings: Surroundings): Promise<Opened> {
  const { now, random, log } = surroundings
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const db = await openDatabase({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    cacheMb:
      config.sqliteCacheMb || Math.min(MOST_CACHE_MB, Math.ceil(totalmem() / CACHE_PART / BYTES_PER_MIB)),
    isRefusal: (value) => value instanceof Refused,
  })
  const obfuscator = openObfuscator(config, log)
  let protocol: Protocol | undefined
  const close = async () => {
    await obfuscator.close()
    await db.close()
    protocol?.valkey?.close()
  }
  try {
    protocol = await openProtocol({
      dataDir: config.dataDir,
      isNew: await isNewStore(db),
      clientRates: config.clientRates,
      sessionWaitMs: config.sessionWaitMs,
      valkeyUrl: config.valkeyUrl,
      failed: (error) => log.error({ error: error.message }, 'Valkey cannot be reached'),
      now,
      random,
      loader: (runtime, use) => ({
        read: () => loaderCore(runtime, use),
        pack: packCore,
        build: loaderBuilder(obfuscator, TARGETS[runtime]),
      }),
    })
    return { deps: { config, db, now, random, obfuscator, protocol }, close }
  } catch (error) {
    await close()
    throw error
  }
}

function openObfuscator(config: Config, log: Logger): Obfuscator {
  const threads = config.obfuscationThreads || Math.max(1, availableParallelism() - 1)
  const limits = {
    threads,
    queue: config.obfuscationQueue,
    deadlineMs: config.obfuscationDeadlineMs,
    memoryMb: config.obfuscationMemoryMb,
  }
  return new ObfuscationPool(limits, (error) => log.error({ error: error.stack }, 'the obfuscator failed'))
}

/** What the obfuscator calls the hosts of loaders. */
const TARGETS: Readonly<Record<LoaderRuntime, string>> = {
  any: 'any',
  luau: 'luau',
  jit: 'luajit',
  '51': 'lua51',
  '54': 'any',
}

/** Names alone: hidden numbers cost the cryptography more time than they cost a reader, hidden strings a seventh of the size. */
function loaderBuilder(obfuscator: Obfuscator, target: string): BuildLoader {
  const passes = { 'encode-numbers': false, 'encrypt-strings': false }
  return async (core, seed) => {
    const built = await obfuscator.run(core, { preset: 'light', target, seed, passes })
    return typeof built === 'object' && 'payload' in built ? unpack(built.payload, built.size) : undefined
  }
}
