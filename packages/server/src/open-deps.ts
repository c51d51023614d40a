/**
 * Opens the dependencies of the server and of operator commands: database, keyring, Valkey and obfuscator.
 * Opens no server socket, and starts no jobs. The obfuscator's processes start with the first build.
 */
import { availableParallelism, totalmem } from 'node:os'
import { carryCore, type LoaderRuntime, loaderCore } from '@scriptward/client/bundle'
import type { Logger } from 'pino'
import manifest from '../package.json' with { type: 'json' }
import { Refused } from './api/refusals.ts'
import type { Config } from './config/config.ts'
import type { Database } from './database/engine/db.ts'
import { openDatabase } from './database/engine/open.ts'
import type { Deps, LiveSessions } from './deps.ts'
import { isNewStore } from './features/accounts/customers.ts'
import { RefusedRequests } from './features/audit/refused-counter.ts'
import { BackupThreads } from './features/backups/archive/backup-worker.ts'
import { backUpBefore, findWaitingMigrations } from './features/backups/archive/before-migration.ts'
import { BackupFault } from './features/backups/archive/manifest.ts'
import { ObfuscationPool, type Obfuscator } from './features/builds/pool.ts'
import { tracedBuild } from './features/builds/traced-build.ts'
import { MemberQuestions } from './features/discord/member-questions.ts'
import { PublicKeys } from './features/discord/public-keys.ts'
import { KeyUses } from './features/executions/key-uses.ts'
import { OutcomeCounter } from './features/executions/outcome-counter.ts'
import { ProbeAsks } from './features/executors/asks.ts'
import { CallCounter } from './features/functions/call-counter.ts'
import { PausedCalls } from './features/functions/paused-calls.ts'
import { FunctionSandbox } from './features/functions/sandbox/sandbox.ts'
import { DemandCounter } from './features/hub/demand-counter.ts'
import { JobRecords } from './features/system/job-records.ts'
import { Outages } from './features/system/outages.ts'
import { RequestFigures } from './features/system/request-figures.ts'
import { OffloadPool } from './offload/pool.ts'
import { ProviderGateway } from './platform/ad-providers/gateway.ts'
import { DiscordApi } from './platform/discord/api.ts'
import { openLimits } from './platform/limits/limits.ts'
import { openKeyring } from './platform/secrets/keyring.ts'
import { noSpan, type Spans } from './platform/tracing/spans.ts'
import { Valkey } from './platform/valkey/valkey.ts'
import { openClientProtocol } from './protocol/client.ts'
import type { BuildLoader } from './protocol/loader-builds.ts'
import { ProcessBus } from './protocol/sessions/bus.ts'
import { type SessionBus, SessionNetwork } from './protocol/sessions/network.ts'
import { SessionHub } from './protocol/sessions/session-hub.ts'
import { openReadiness } from './readiness.ts'
import { examineRunning, mailCheck } from './runtime-checks.ts'
import { databaseFault, makeDataFolder, refuseForeignKeyring } from './startup-checks.ts'

/** The machine's clock and random generator are used unless a test replaces them. */
export type Surroundings = {
  readonly now: () => number
  readonly random: (count: number) => Buffer
  readonly log: Logger
  /** Defaults to none. */
  readonly spans?: Spans
  /** Defaults to a pool for this server alone. */
  readonly obfuscator?: Obfuscator
  /**
   * Whether `countWriters` run. Defaults to true. Without them, a test that writes counts itself can't miss
   * counts that a writer has just taken.
   */
  readonly writesCounts?: boolean
}

const BYTES_PER_MIB = 1_048_576
/** Maximum size of the cache, which is enough for the keys of a million users. */
const MAX_CACHE_MB = 256
const CACHE_PART = 32

export type Opened = { readonly deps: Deps; close(): Promise<void> }

export async function openDeps(config: Config, surroundings: Surroundings): Promise<Opened> {
  const { now, random, log, spans = noSpan } = surroundings
  const db = await openStore(config, surroundings)
  const obfuscator = surroundings.obfuscator ?? openObfuscator(config, log)
  const sandbox = new FunctionSandbox(random, (error) =>
    log.error({ error: error.stack }, 'a server function crashed'),
  )
  const offload = new OffloadPool((error) => log.error({ error: error.stack }, 'a job failed'))
  const backups = new BackupThreads()
  let valkey: Valkey | undefined
  const outages = new Outages(now)
  const close = async () => {
    await Promise.all([obfuscator.close(), sandbox.close(), offload.close(), backups.close()])
    await db.close()
    valkey?.close()
  }
  try {
    const secrets = await openKeyring(config, random, await isNewStore(db))
    await refuseForeignKeyring(db, secrets, config)
    valkey = await openValkey(config, secrets.name, { log, outages })
    const limits = openLimits(config.clientRates, valkey)
    const sessions = openSessions(config, surroundings, { db, valkey })
    const client = openClientProtocol({
      secrets,
      valkey,
      now,
      random,
      loader: (runtime, use) => ({
        read: () => loaderCore(runtime, use),
        carry: carryCore,
        build: loaderBuilder({ obfuscator, spans }, TARGETS[runtime]),
      }),
    })
    const readiness = openReadiness(db, valkey)
    const checkMail = mailCheck(config, now)
    const audited = { db, unauditedDb: db, annotateAudit: () => {} }
    const held = {
      now,
      random,
      secrets,
      limits,
      providers: new ProviderGateway(config.adProviders, now),
      discord: {
        api: new DiscordApi(config.discordUrl),
        keys: new PublicKeys(),
        questions: new MemberQuestions(),
      },
      ...openCounters(),
      executorAsks: new ProbeAsks(),
      jobs: new JobRecords(now),
      requests: new RequestFigures(now),
      backups,
      readiness,
      examine: () => examineRunning({ config, db, valkey, now, readiness, outages, checkMail }),
      sessions,
      obfuscator,
      offload,
      sandbox,
      pausedCalls: new PausedCalls(),
      client,
      log,
      spans,
    }
    return { deps: { config, ...audited, ...held }, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Creates the in-memory counters, which jobs save to the database. */
function openCounters() {
  return {
    outcomes: new OutcomeCounter(),
    keyUses: new KeyUses(),
    functionCalls: new CallCounter(),
    hubDemand: new DemandCounter(),
    refusedRequests: new RefusedRequests(),
  }
}

async function openStore(config: Config, surroundings: Surroundings): Promise<Database> {
  const { dataDir, databaseUrl, sqliteCacheMb } = config
  makeDataFolder(dataDir)
  const cacheMb = sqliteCacheMb || Math.min(MAX_CACHE_MB, Math.ceil(totalmem() / CACHE_PART / BYTES_PER_MIB))
  const { log } = surroundings
  const isRefusal = (value: unknown) => value instanceof Refused
  const onStatement = log.isLevelEnabled('trace') ? statementLogger(log) : undefined
  try {
    await prepareMigration(config, surroundings)
    return await openDatabase({ dataDir, databaseUrl, cacheMb, isRefusal, onStatement })
  } catch (error) {
    throw error instanceof BackupFault ? error : databaseFault(error, config)
  }
}

/**
 * A schema migration can only be reverted with a backup. A PostgreSQL backup may take a long time, so it is
 * left to the operator.
 */
async function prepareMigration(config: Config, { log, now }: Surroundings): Promise<void> {
  const waiting = await findWaitingMigrations(config)
  const [first] = waiting
  if (first === undefined) return
  const migrations = waiting.join(', ')
  if (config.databaseUrl !== undefined) return log.warn({ migrations }, BACKUP_WANTED)
  const order = { store: config, seal: config.backup.seal, service: manifest.version, now: now() }
  const place = await backUpBefore(first, order, config.backup.dir)
  log.info({ migrations, place }, 'backup created, because this version migrates the database schema')
}

const BACKUP_WANTED =
  'this version migrates the database schema. PostgreSQL is not backed up automatically before a migration: run `scriptward backup FOLDER` before each upgrade'

function statementLogger(log: Logger) {
  return (sql: string, ms: number): void => log.trace({ sql, ms }, 'statement')
}

async function openValkey(
  { valkeyUrl: url }: Config,
  name: string,
  { log, outages }: { readonly log: Logger; readonly outages: Outages },
): Promise<Valkey | undefined> {
  if (url === undefined) return undefined
  const failed = (error: Error) => {
    log.error({ error: error.message }, 'cannot reach Valkey')
    // An earlier outage may have ended without being noticed.
    outages.end('valkey')
    outages.note('valkey')
  }
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

export function openObfuscator(config: Config, log: Logger): Obfuscator {
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
 * Each target has its own queue, so a loader never waits for an account's uploads. Only names are obfuscated,
 * because encoded numbers would slow down the cryptography and encrypted strings would add a seventh to the
 * size.
 */
function loaderBuilder(
  { obfuscator, spans }: Pick<Deps, 'obfuscator' | 'spans'>,
  target: string,
): BuildLoader {
  const passes = { 'encode-numbers': false, 'encrypt-strings': false }
  return async (core, seed) => {
    const options = { preset: 'light', target, seed, passes }
    const request = { owner: `loaders ${target}`, source: core, options, isLoader: true }
    const built = await tracedBuild(spans, 'build loader', { obfuscator, request })
    return typeof built === 'object' && 'loader' in built ? (built.loader ?? undefined) : undefined
  }
}
