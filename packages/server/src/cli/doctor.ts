/**
 * Checks everything that the service needs before it can start here, each with a fix when it fails. An existing database
 * is opened the way the service opens it; nothing is created.
 */
import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Config } from '../config.ts'
import { isNewStore } from '../domain/accounts/customers.ts'
import { openKeyring } from '../secrets/keyring.ts'
import type { Database } from '../store/engine/db.ts'
import { openDatabase } from '../store/engine/open.ts'
import { Valkey } from '../valkey/valkey.ts'

export type Finding = {
  readonly name: string
  /** What to do; undefined when the check passed. */
  readonly fix: string | undefined
}

type StartCheck = (config: Config) => Promise<string | undefined>

const OLDEST_NODE = 24

export async function examine(config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, check] of Object.entries(CHECKS)) {
    const fix = await check(config).catch((error: unknown) => (error as Error).message)
    findings.push({ name, fix })
  }
  return findings
}

const CHECKS: Readonly<Record<string, StartCheck>> = {
  runtime: async () => {
    const major = Number.parseInt(process.versions.node, 10)
    return major >= OLDEST_NODE
      ? undefined
      : `use Node.js ${OLDEST_NODE} or newer; this is ${process.versions.node}`
  },
  'data folder': async ({ dataDir }) => {
    if (!existsSync(dataDir)) return writable(existingParent(dataDir))
    const others = statSync(dataDir).mode & 0o077
    return others === 0 ? writable(dataDir) : `other users can read ${dataDir}: run chmod 700 on it`
  },
  keyring: async (config) => {
    const isThere = existsSync(path.join(config.dataDir, 'keyring.json'))
    const isNew = isThere ? false : ((await onDatabase(config, isNewStore)) ?? true)
    if (!isNew) await openKeyring(config.dataDir, randomBytes, false)
    return undefined
  },
  database: async (config) => {
    await onDatabase(config, (db) => db.ping())
    return undefined
  },
  valkey: async ({ valkeyUrl, databaseUrl }) => {
    if (valkeyUrl === undefined) return undefined
    if (databaseUrl === undefined)
      return 'several processes need a shared PostgreSQL: set SCRIPTWARD_DATABASE_URL too'
    const valkey = await Valkey.open({ url: valkeyUrl, name: 'doctor', failed: () => {} })
    valkey.close()
    return undefined
  },
  port: ({ host, port }) =>
    new Promise((resolve) => {
      const probe = createServer()
      probe.once('error', ({ message }) =>
        resolve(`${message}; choose another SCRIPTWARD_PORT or SCRIPTWARD_HOST`),
      )
      probe.listen(port, host, () => probe.close(() => resolve(undefined)))
    }),
}

/** Undefined while there is no database file. */
async function onDatabase<T>(
  { dataDir, databaseUrl }: Config,
  ask: (db: Database) => Promise<T>,
): Promise<T | undefined> {
  if (databaseUrl === undefined && !existsSync(path.join(dataDir, 'scriptward.db'))) return undefined
  const db = await openDatabase({ dataDir, databaseUrl, isRefusal: () => false })
  return ask(db).finally(() => db.close())
}

function writable(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return `cannot write to ${folder}: give this user write permission, or choose another SCRIPTWARD_DATA_DIR`
  }
}

function existingParent(folder: string): string {
  return existsSync(folder) ? folder : existingParent(path.dirname(folder))
}
