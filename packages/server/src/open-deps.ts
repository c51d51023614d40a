/**
 * Opens what the service and the operators' commands stand on: database, keyring, Valkey and obfuscator. It opens no
 * server socket and starts no job; the obfuscator's processes start with the first build.
 */
import { availableParallelism, totalmem } from 'node:os'
import { type LoaderRuntime, loaderCore, packCore } from '@scriptward/client/bundle'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Deps, LiveSessions } from './deps.ts'
import { isNewStore } from './domain/accounts/customers.ts'
import { OutcomeCounter } from './domain/executions/outcome-counter.ts'
import { JobRecords } from './domain/job-records.ts'
import { Refused } from './domain/refusals.ts'
import { openLimits } from './limits/limits.ts'
import { unpack } from './obfuscation/lz4.ts'
import { ObfuscationPool, type Obfuscator } from './obfuscation/pool.ts'
import { openClientProtocol } from './protocol/client.ts'
import type { BuildLoader } from './protocol/loader-builds.ts'
import { examineRunning } from './running-faults.ts'
import { openKeyring } from './secrets/keyring.ts'
import { ProcessBus } from './sessions/bus.ts'
import { SessionHub } from './sessions/hub.ts'
import { type SessionBus, SessionNetwork } from './sessions/network.ts'
import { databaseFault, makeDataFolder, refuseForeignKeyring } from './start-faults.ts'
import type { Database } from './store/engine/db.ts'
import { openDatabase } from './store/engine/open.ts'
import { Valkey } from './valkey/valkey.ts'

/** Clock and randomness are the machine's, unless a test brings its own. */
export type Surroundings = {
  readonly now: () => number
  readonly random: (count: number) => Buffer
  readonly log: Logger
}

const BYTES_PER_MIB = 1_048_576
/** As much as the keys of a million users need. */
const MAX_CACHE_MB = 256
const CACHE_PART = 32

export type Opened = { readonly deps: Deps; close(): Promise<void> }

export async function openDeps(config: Config, surroundings: Surroundings): Promise<Opened> {
  const { now, random, log } = surroundings
  const db = await openStore(config, log)
  const obfuscator = openObfuscator(config, log)
  let valkey: Valkey | undefined
  const close = async () => {
    await obfuscator.close()
    await db.close()
    valkey?.close()
  }
  try {
    const secrets = await openKeyring(config, random, await isNewStore(db))
    await refuseForeignKeyring(db, secrets, config)
    valkey = await openValkey(config, secrets.name, log)
    const limits = openLimits(config.clientRates, valkey)
    const sessions = openSessions(config, surroundings, { db, valkey })
    const client = openClientProtocol({
      sealer: secrets,
      valkey,
      now,
      random,
      loader: (runtime, use) => ({
        read: () => loaderCore(runtime, use),
        pack: packCore,
        build: loaderBuilder(obfuscator, TARGETS[runtime]),
      }),
    })
    const audited = { db, aside: db, note: () => {} }
    const held = {
      now,
      random,
      secrets,
      limits,
      outcomes: new OutcomeCounter(),
      jobs: new JobRecords(now),
      examine: () => examineRunning({ config, db, valkey }),
      sessions,
      obfuscator,
      client,
      log,
    }
    return { deps: { config, ...audited, ...held }, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openStore(config: Config, log: Logger): Promise<Database> {
  const { dataDir, databaseUrl, sqliteCacheMb } = config
  makeDataFolder(dataDir)
  const cacheMb = sqliteCacheMb || Math.min(MAX_CACHE_MB, Math.ceil(totalmem() / CACHE_PART / BYTES_PER_MIB))
  const isRefusal = (value: unknown) => value instanceof Refused
  const onStatement = log.isLevelEnabled('trace') ? statementLogger(log) : undefined
  return openDatabase({ dataDir, databaseUrl, cacheMb, isRefusal, onStatement }).catch((error: unknown) => {
    throw databaseFault(error, config)
  })
}

function statementLogger(log: Logger) {
  return (sql: string, ms: number): void => log.trace({ sql, ms }, 'statement')
}

async function openValkey(
  { valkeyUrl: url }: Config,
  name: string,
  log: Logger,
): Promise<Valkey | undefined> {
  if (url === undefined) return undefined
  const failed = (error: Error) => log.error({ error: error.message }, 'Valkey cannot be reached')
  return Valkey.open({ url, name, failed })
}

function openSessions(
  { sessionWaitMs }: Config,
  { now, random }: Surroundings,
  { db, valkey }: { readonly db: Database; readonly valkey: Valkey | undefined },
): LiveSessions {
  const hub = new SessionHub(sessionWaitMs, now)
  const bus: SessionBus | undefined = valkey && new ProcessBus(valkey, random(9).toString('base64url'))
  return { hub, network: new SessionNetwork(hub, bus && { bus, db }, sessionWaitMs) }
}

function openObfuscator(config: Config, log: Logger): Obfuscator {
  const limits = {
    processes: config.obfuscationThreads || Math.max(1, availableParallelism() - 1),
    queue: config.obfuscationQueue,
    deadlineMs: config.obfuscationDeadlineMs,
    memoryMb: config.obfuscationMemoryMb,
  }
  return new ObfuscationPool(limits, (error) => log.error({ error: error.stack }, 'the obfuscator failed'))
}

/** The obfuscator's targets for the runtimes of loaders. */
const TARGETS: Readonly<Record<LoaderRuntime, string>> = {
  any: 'any',
  luau: 'luau',
  jit: 'luajit',
  '51': 'lua51',
  '54': 'any',
}

/**
 * Each target has turns of its own, so a loader never waits behind all that a customer uploads. Renames only: encoded
 * numbers slow down the cryptography, and encrypted strings add a seventh to the size.
 */
function loaderBuilder(obfuscator: Obfuscator, target: string): BuildLoader {
  const passes = { 'encode-numbers': false, 'encrypt-strings': false }
  return async (core, seed) => {
    const options = { preset: 'light', target, seed, passes }
    const built = await obfuscator.buildScript({ owner: `loaders ${target}`, source: core, options })
    return typeof built === 'object' && 'payload' in built ? unpack(built.payload, built.size) : undefined
  }
}
