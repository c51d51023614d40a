/**
 * Problems with this machine that prevent the server from starting, each with the name of the setting and the
 * fix. Startup and the doctor share these checks, so that their messages match. `config/values.ts` detects
 * invalid values.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import type { Config } from './config/config.ts'
import type { Database } from './database/engine/db.ts'
import { isServiceFree, lockService, type ServiceLock } from './database/engine/postgres/service-lock.ts'
import { isDamage } from './database/engine/sqlite/copy.ts'
import { type FolderLock, folderLockFile, lockFolder } from './database/engine/sqlite/folder-lock.ts'
import { findAnySource } from './features/scripts/store/script-versions.ts'
import { holdPort } from './http/free-port.ts'
import { type KeyringPlace, keyringFileOf } from './platform/secrets/keyring.ts'
import type { Sealer } from './platform/secrets/seal.ts'

type Fault = string | undefined
type Failure = Partial<Pick<NodeJS.ErrnoException, 'code' | 'message'>> & { readonly errcode?: number }

/** Returns undefined if the data folder is writable, or can be created and written to. */
export function dataFolderFault(dataDir: string): Fault {
  const folder = existingFolder(dataDir)
  const fault = statSync(folder).isDirectory()
    ? (writingFault(folder) ?? danglingFault(dataDir))
    : `${folder} is a file, not a directory: ${GIVE_ACCESS}`
  return fault && `SCRIPTWARD_DATA_DIR: ${fault}, or choose another directory`
}

const GIVE_ACCESS = 'give the user of this process write access'
const FREE_SPACE = 'free up space on this disk, for example by removing old backups'

function danglingFault(dataDir: string): Fault {
  const isLink = !existsSync(dataDir) && lstatSync(dataDir, { throwIfNoEntry: false }) !== undefined
  return isLink ? `${dataDir} is a link to a directory that does not exist: ${GIVE_ACCESS}` : undefined
}

/**
 * Creates the data folder so that only its owner can read it. Throws the error that `dataFolderFault`
 * returns.
 */
export function makeDataFolder(dataDir: string): void {
  const fault = dataFolderFault(dataDir)
  if (fault !== undefined) throw new Error(fault)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/**
 * Locks the data folder for this server. Throws if another server uses it. Several servers need PostgreSQL.
 */
export function holdDataFolder({ dataDir, databaseUrl }: Config): FolderLock {
  if (databaseUrl !== undefined) return { release() {} }
  makeDataFolder(dataDir)
  const lock = tryToLock(dataDir)
  if (lock !== undefined) return lock
  throw new Error(
    `SCRIPTWARD_DATA_DIR: another server process is using ${dataDir}: stop it, or choose another directory. To run several processes, use PostgreSQL and Valkey (SCRIPTWARD_DATABASE_URL and SCRIPTWARD_VALKEY_URL)`,
  )
}

/** Locks the PostgreSQL database for this server. Throws if another server uses it. */
export async function holdDatabase(config: Config, lost: (message: string) => void): Promise<ServiceLock> {
  const { databaseUrl: url, valkeyUrl } = config
  if (url === undefined) return { release: async () => {} }
  const holding = { url, isShared: valkeyUrl !== undefined, lost: () => lost(heldDatabase(config)) }
  const lock = await lockService(holding).catch((error: unknown) => {
    throw databaseFault(error, config)
  })
  if (lock === undefined) throw new Error(heldDatabase(config))
  return lock
}

/** Returns the error that `holdDatabase` would throw now, or undefined if it would succeed. */
export async function heldDatabaseFault(config: Config): Promise<Fault> {
  const { databaseUrl: url, valkeyUrl } = config
  const isFree = url === undefined || (await isServiceFree({ url, isShared: valkeyUrl !== undefined }))
  return isFree ? undefined : heldDatabase(config)
}

function heldDatabase({ valkeyUrl }: Config): string {
  return valkeyUrl === undefined
    ? 'SCRIPTWARD_DATABASE_URL: another server is using this database: stop it. To run several processes of one server, give all of them the same keyring and the same SCRIPTWARD_VALKEY_URL'
    : 'SCRIPTWARD_DATABASE_URL: another server is using this database without SCRIPTWARD_VALKEY_URL: restart it with the same SCRIPTWARD_VALKEY_URL'
}

/**
 * Returns the error that `holdDataFolder` would throw now, or undefined if it would succeed. Creates nothing.
 */
export function heldFolderFault(config: Config): Fault {
  if (!existsSync(folderLockFile(config.dataDir))) return undefined
  try {
    holdDataFolder(config).release()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function tryToLock(dataDir: string): FolderLock | undefined {
  try {
    return lockFolder(dataDir)
  } catch (error) {
    const words = sqliteFault(error as Failure)
    throw new Error(`SCRIPTWARD_DATA_DIR: ${folderLockFile(dataDir)}: ${words}`, { cause: error })
  }
}

/** Returns undefined if no other user can read the data folder. Its files are private in any case. */
export function looseFolder(dataDir: string): Fault {
  // File modes on Windows are meaningless.
  if (process.platform === 'win32' || !existsSync(dataDir) || (statSync(dataDir).mode & 0o077) === 0)
    return undefined
  return `SCRIPTWARD_DATA_DIR: other users can read ${dataDir}: run chmod 700 on it`
}

/**
 * Creates and immediately removes a directory, because this is the only way to detect a read-only disk or
 * `/proc`.
 */
function writingFault(folder: string): Fault {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    rmdirSync(mkdtempSync(path.join(folder, '.scriptward-')))
    return undefined
  } catch (error) {
    const { code = '' } = error as Failure
    const fix = ['ENOSPC', 'EDQUOT'].includes(code) ? FREE_SPACE : GIVE_ACCESS
    return `${folder} is not writable (${code}): ${fix}`
  }
}

/** The folder, or its nearest parent that exists. */
export function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(path.dirname(folder))
}

/** Explains why the database couldn't be opened, with the original error as the cause. */
export function databaseFault(error: unknown, { databaseUrl, dataDir }: Config): Error {
  const fault = error as Failure
  const message =
    databaseUrl === undefined
      ? `SCRIPTWARD_DATA_DIR: ${path.join(dataDir, 'scriptward.db')}: ${sqliteFault(fault)}`
      : `SCRIPTWARD_DATABASE_URL: ${postgresFault(fault, databaseUrl)}`
  return new Error(message, { cause: error })
}

const SQLITE_CANNOT_OPEN = 14
const SQLITE_FULL = 13
const SQLITE_READ_ONLY = 8

function sqliteFault({ code, errcode = 0, message = '' }: Failure): string {
  if (isDamage({ errcode }))
    return `${message}: restore the latest backup into an empty directory, or choose another directory`
  // The low byte is the primary code. The other bytes extend it.
  const kind = errcode & 0xff
  if (kind === SQLITE_FULL || code === 'ENOSPC') return `${message}: ${FREE_SPACE}`
  if (kind === SQLITE_CANNOT_OPEN || kind === SQLITE_READ_ONLY || code === 'EACCES' || code === 'EISDIR')
    return `${message}: make the user of this process the owner of the files in this directory`
  return message
}

/** Throws if the keyring can't decrypt the content of this database. */
export async function refuseForeignKeyring(
  db: Database,
  secrets: Sealer,
  place: KeyringPlace,
): Promise<void> {
  const stored = await findAnySource(db.read)
  if (stored === undefined) return
  try {
    secrets.open('source', stored.script_id, stored.source)
  } catch (error) {
    throw new Error(
      `${place.keyringFile === undefined ? 'SCRIPTWARD_DATA_DIR' : 'SCRIPTWARD_KEYRING_FILE'}: ${keyringFileOf(place)} does not belong to this database: restore the keyring that was backed up with it`,
      { cause: error },
    )
  }
}

const NO_NAME = (place: string) =>
  `the host name in ${place} cannot be resolved: correct it, or check its DNS record`
const NO_ANSWER = (place: string) => `no response from ${place}: check host, port and firewall`

/** Messages by error code, from the connection or from the server. */
const POSTGRES: Readonly<Record<string, (place: string) => string>> = {
  ECONNREFUSED: (place) =>
    `nothing is listening on ${place}: start PostgreSQL there, or correct host and port`,
  ECONNRESET: (place) => `${place} closed the connection: check that PostgreSQL is listening there`,
  ENOENT: (place) =>
    `PostgreSQL ${place} not found: start PostgreSQL, or correct the directory of the socket`,
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
  ETIMEDOUT: NO_ANSWER,
  EHOSTUNREACH: NO_ANSWER,
  ENETUNREACH: NO_ANSWER,
  '28P01': () => 'correct the user or password',
  '28000': () => 'correct the user, or allow it in pg_hba.conf',
  '3D000': () => 'create it with createdb, or correct the name',
  '42501': () => 'make the user in the URL the owner of the database',
  '53300': () => 'raise max_connections in PostgreSQL, or stop other clients',
  '57P03': () => 'try again once PostgreSQL has started',
}

/** Describes an error from PostgreSQL or from the connection to it, and the fix. */
export function postgresFault(error: unknown, databaseUrl: string): string {
  const { code = '', message = '' } = error as Failure
  const place = placeOf(databaseUrl, 'the socket')
  const words = POSTGRES[code]?.(place)
  // PostgreSQL's own error codes have five characters, and its messages name the database or user.
  if (words !== undefined) return code.length === 5 ? `${message}: ${words}` : words
  if (/timeout/i.test(message)) return NO_ANSWER(place)
  if (/terminated|stream|message code/i.test(message))
    return `${place} is not a PostgreSQL server: correct host and port`
  if (/password must be/.test(message))
    return `${place} requires a password: use postgres://user:password@host/database`
  if (/SSL/.test(message)) return `${message}: set sslmode in the URL to a mode that ${place} supports`
  return `${message} (${place})`
}

/** Returns only the host and port, because messages must not contain the user name and password. */
function placeOf(address: string, other: string): string {
  return URL.parse(address)?.host || other
}

/** Explains why the server can't listen. `error` is what the attempt threw. */
export function listenFault(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): Error {
  const { code = '' } = error as Failure
  const words: Readonly<Record<string, string>> = {
    EADDRINUSE: `SCRIPTWARD_PORT: port ${port} on ${host} is already in use: stop the other process, or choose another SCRIPTWARD_PORT`,
    EACCES: `SCRIPTWARD_PORT: the user of this process may not listen on port ${port}: choose a port of 1024 or above, and put a proxy in front of it`,
    EADDRNOTAVAIL: `SCRIPTWARD_HOST: this machine does not have the IP address ${host}: use one of its own, 127.0.0.1, or 0.0.0.0 for all of them`,
    ENOTFOUND: `SCRIPTWARD_HOST: the host name ${host} cannot be resolved: use an IP address such as 127.0.0.1, or 0.0.0.0 for all`,
  }
  const fault = words[code === 'EAI_AGAIN' ? 'ENOTFOUND' : code]
  return fault === undefined ? (error as Error) : new Error(fault, { cause: error })
}

/** Listens briefly. Resolves to undefined if that works, and never rejects. */
export function tryToListen({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<NodeJS.ErrnoException | undefined> {
  return holdPort(host, port).then(
    (held) => held.release().then(() => undefined),
    (error: NodeJS.ErrnoException) => error,
  )
}

/** Returns warnings about settings that conflict with each other, or that are probably unintended. */
export function warningsOf({ baseUrl, trustProxy, valkeyUrl, databaseUrl, backup }: Config): string[] {
  const warnings: string[] = []
  if (baseUrl?.startsWith('https:') && trustProxy.length === 0)
    warnings.push(
      'SCRIPTWARD_TRUST_PROXY is empty although SCRIPTWARD_BASE_URL is https: behind a proxy, all clients would share one IP address and its rate limits. Set it to the IP address the proxy connects from, such as 127.0.0.1',
    )
  if (valkeyUrl !== undefined && databaseUrl === undefined)
    warnings.push(
      'SCRIPTWARD_VALKEY_URL is set but SCRIPTWARD_DATABASE_URL is empty: several processes need a shared PostgreSQL database',
    )
  if (backup.everyMs !== undefined && backup.seal === undefined)
    warnings.push(
      'SCRIPTWARD_BACKUP_EVERY is set without SCRIPTWARD_BACKUP_PASSPHRASE or SCRIPTWARD_BACKUP_PUBLIC_KEY: anyone who can read a backup gets all sources, keys and email addresses. Set one of them',
    )
  return warnings
}
