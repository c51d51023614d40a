/**
 * Checks everything that the server needs to start. Each failure comes with a fix. An existing database is
 * opened the way the server opens it. Nothing is created.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Config, readConfig, unknownSettings, WrongSettings } from '../config/config.ts'
import type { Database } from '../database/engine/db.ts'
import { openDatabase } from '../database/engine/open.ts'
import { programsFault } from '../database/engine/postgres/programs.ts'
import { refuseDamage } from '../database/engine/sqlite/copy.ts'
import { isNewStore } from '../features/accounts/customers.ts'
import { type Verified, verifyAudit } from '../features/audit/verify.ts'
import { findWaitingMigrations } from '../features/backups/archive/before-migration.ts'
import { diskOf } from '../platform/machine.ts'
import { keyringFileOf, openKeyring } from '../platform/secrets/keyring.ts'
import { Valkey } from '../platform/valkey/valkey.ts'
import {
  type Checked,
  checkAddress,
  checkBackup,
  checkDisk,
  checkMail,
  checkRuntime,
  type Finding,
  NO_VALKEY,
  OK,
  warningIf,
  wrong,
} from '../runtime-checks.ts'
import {
  databaseFault,
  dataFolderFault,
  existingFolder,
  heldDatabaseFault,
  heldFolderFault,
  listenFault,
  looseFolder,
  refuseForeignKeyring,
  tryToListen,
  warningsOf,
} from '../startup-checks.ts'

type StartCheck = (config: Config) => Promise<Checked>

const HEALTH_TIMEOUT_MS = 3000

/** Stops at invalid settings, because the other checks depend on them. */
export async function examine(environment: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const settings = checkSettings(environment)
  if ('faults' in settings) return settings.faults
  const findings: Finding[] = [...settings.findings]
  for (const [name, check] of Object.entries(CHECKS)) {
    findings.push({ name, ...(await check(settings.config).catch(findingOf)) })
  }
  return findings
}

/** Checks every entry of the audit log against the hash chains. Read-only. */
export async function examineAudit(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const settings = checkSettings(environment)
  if ('faults' in settings) return settings.faults
  const name = 'audit log'
  try {
    const { config } = settings
    const verified = await onDatabase(config, async (db) =>
      verifyAudit({ db, now: Date.now, secrets: await openKeyring(config, randomBytes, false) }),
    )
    return verified === undefined
      ? [{ name, state: 'wrong', text: 'no database found' }]
      : describeAudit(verified)
  } catch (error) {
    return [{ name, ...wrong(error as Error) }]
  }
}

function describeAudit({ accounts, entries, faults }: Verified): Finding[] {
  const found = faults.map(({ customerId, text }): Finding => {
    const name = customerId === '' ? 'audit log of the server' : `audit log of ${customerId}`
    return { name, state: 'wrong', text }
  })
  const text = `${entries} entries in ${accounts} chains are unchanged`
  return found.length > 0 ? found : [{ name: 'audit log', state: 'ok', text }]
}

function checkSettings(environment: Readonly<Record<string, string | undefined>>) {
  const found = (state: Finding['state'], text: string): Finding => ({ name: 'settings', state, text })
  try {
    const config = readConfig(environment)
    const warnings = [...unknownSettings(environment), ...warningsOf(config)].map((text) =>
      found('warning', text),
    )
    return { config, findings: warnings.length > 0 ? warnings : [{ name: 'settings', ...OK }] }
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error
    const unknown = unknownSettings(environment).map((text) => found('warning', text))
    return { faults: [...error.faults.map((text) => found('wrong', text)), ...unknown] }
  }
}

const CHECKS: Readonly<Record<string, StartCheck>> = {
  runtime: checkRuntime,
  'data folder': async (config) => {
    const fault = dataFolderFault(config.dataDir)
    if (fault !== undefined) throw new Error(fault)
    const held = heldFolderFault(config)
    if (held !== undefined && !(await isThisService(config))) throw new Error(held)
    return warningIf(looseFolder(config.dataDir))
  },
  keyring: async (config) => {
    if (!existsSync(keyringFileOf(config))) {
      const found = await onDatabase(config, isNewStore).catch(() => 'unknown')
      const isNew = found ?? true
      if (isNew === 'unknown') return { state: 'warning', text: 'not checked, because there is no database' }
      if (isNew) return OK
    }
    const secrets = await openKeyring(config, randomBytes, false)
    await onDatabase(config, (db) => refuseForeignKeyring(db, secrets, config))
    return OK
  },
  database: async (config) => {
    checkDamage(config)
    await onDatabase(config, (db) => db.ping())
    const held = await heldDatabaseFault(config)
    if (held !== undefined && !(await isThisService(config))) throw new Error(held)
    return OK
  },
  valkey: async ({ valkeyUrl }) => {
    if (valkeyUrl === undefined) return NO_VALKEY
    const valkey = await Valkey.open({ url: valkeyUrl, name: 'doctor', failed: () => {} })
    valkey.close()
    return OK
  },
  address: checkAddress,
  mail: checkMail,
  disk: async ({ dataDir }) => {
    const folder = existingFolder(dataDir)
    return checkDisk(folder, await diskOf(folder))
  },
  backup: async (config) => {
    const { databaseUrl } = config
    const checked = await onDatabase(config, (db) => checkBackup({ config, db, now: Date.now }))
    if (checked?.state === 'ok' && databaseUrl !== undefined)
      return warningIf(await programsFault(databaseUrl))
    return checked ?? OK
  },
  port: async (config) => {
    const error = await tryToListen(config)
    if (error === undefined) return OK
    if (error.code === 'EADDRINUSE' && (await isThisService(config)))
      return { state: 'ok', text: 'this server is running there' }
    throw listenFault(error, config)
  },
}

/** Checks only SQLite. PostgreSQL checks its own pages if it was set up with checksums. */
function checkDamage(config: Config): void {
  const file = path.join(config.dataDir, 'scriptward.db')
  if (config.databaseUrl !== undefined || !existsSync(file)) return
  try {
    refuseDamage(file)
  } catch (error) {
    throw databaseFault(error, config)
  }
}

/**
 * Returns whether a healthy server with this keyring's keys is running. Any other server has different keys.
 */
async function isThisService(config: Config): Promise<boolean> {
  const { host, port } = config
  const ask = async (where: string) => {
    const answer = await fetch(`http://${reachable(host)}:${port}${where}`, {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    })
    return answer.ok ? ((await answer.json()) as { keys?: readonly { kid?: string }[] }) : undefined
  }
  try {
    if ((await ask('/healthz')) === undefined) return false
    const { server } = await openKeyring(config, randomBytes, false)
    const theirs = (await ask('/client/v1/keys'))?.keys?.map(({ kid }) => kid)
    return server.publicKeys(Date.now()).keys.some(({ kid }) => theirs?.includes(kid))
  } catch {
    return false
  }
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Migrations run only at startup, so the doctor reports an outdated schema instead. */
class NotMigrated extends Error {}

function findingOf(error: Error): Checked {
  return error instanceof NotMigrated ? { state: 'warning', text: error.message } : wrong(error)
}

/** Returns undefined if there is no database file yet. */
async function onDatabase<T>(config: Config, ask: (db: Database) => Promise<T>): Promise<T | undefined> {
  const { dataDir, databaseUrl } = config
  if (databaseUrl === undefined && !existsSync(path.join(dataDir, 'scriptward.db'))) return undefined
  const open = async () => {
    const [waiting] = await findWaitingMigrations(config)
    if (waiting !== undefined)
      throw new NotMigrated(`not checked: the next start migrates the schema (${waiting})`)
    return openDatabase({ dataDir, databaseUrl, isRefusal: () => false })
  }
  const db = await open().catch((error: unknown) => {
    throw error instanceof NotMigrated ? error : databaseFault(error, config)
  })
  return ask(db).finally(() => db.close())
}
