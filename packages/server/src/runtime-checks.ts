/** The doctor's checks that also work on a running server, because they use its open resources. */

import type { Config } from './config/config.ts'
import type { Database } from './database/engine/db.ts'
import { describeAge, findLast } from './features/backups/archive/last.ts'
import { findBackupState } from './features/backups/store.ts'
import { isLoopback } from './features/people/sign-in/relying-party.ts'
import type { Outages } from './features/system/outages.ts'
import { diskOf, memoryOfMachine, type Room } from './platform/machine.ts'
import { mailFault } from './platform/mail/mailer.ts'
import type { Valkey } from './platform/valkey/valkey.ts'
import type { Readiness } from './readiness.ts'
import { databaseFault, dataFolderFault, looseFolder, warningsOf } from './startup-checks.ts'

export type Finding = {
  readonly name: string
  /**
   * The server starts despite a `warning`. If a check is `wrong`, the server doesn't start or won't run for
   * long. `off` means not configured.
   */
  readonly state: 'ok' | 'off' | 'warning' | 'wrong'
  /** The problem and its fix, or details of a healthy state. */
  readonly text?: string
  /** When a running server first detected the problem. */
  readonly since?: number
}
export type Checked = Omit<Finding, 'name' | 'since'>

export const OK: Checked = { state: 'ok' }
export const NO_VALKEY: Checked = {
  state: 'off',
  text: 'not configured: only needed for several processes (SCRIPTWARD_VALKEY_URL)',
}
const NO_MAIL: Checked = {
  state: 'off',
  text: 'not configured: sign-in links and new API keys are not sent by email (SCRIPTWARD_SMTP_URL)',
}
const OLDEST_NODE = 24

export function wrong(error: Error): Checked {
  return { state: 'wrong', text: error.message }
}

export function warningIf(text: string | undefined): Checked {
  return text === undefined ? OK : { state: 'warning', text }
}

export async function checkRuntime(): Promise<Checked> {
  const major = Number.parseInt(process.versions.node, 10)
  if (major >= OLDEST_NODE) return OK
  throw new Error(`Node.js ${process.versions.node} is too old: use Node.js ${OLDEST_NODE} or later`)
}

export async function checkMail({ mail }: Pick<Config, 'mail'>): Promise<Checked> {
  return mail === undefined ? NO_MAIL : warningIf(await mailFault(mail.url))
}

/** Caches the result for a minute, because the check signs in to the mail server. */
export function mailCheck(config: Pick<Config, 'mail'>, now: () => number): () => Promise<Checked> {
  let last: { readonly at: number; readonly checked: Promise<Checked> } | undefined
  return () => {
    const isFresh = last !== undefined && Math.abs(now() - last.at) < MAIL_FRESH_MS
    if (last === undefined || !isFresh) last = { at: now(), checked: checkMail(config) }
    return last.checked
  }
}

const MAIL_FRESH_MS = 60_000

/**
 * A disk is low on space only if its free space is below both a fraction of its size and an absolute size,
 * because a tenth of a large disk is plenty.
 */
const LOW_DISK = { share: 0.1, bytes: 50_000_000_000 }
const FULL_DISK = { share: 0.03, bytes: 5_000_000_000 }
const LOW_MEMORY_SHARE = 0.05

export function checkDisk(folder: string, room: Room): Checked {
  const isBelow = ({ share, bytes }: typeof LOW_DISK) => room.free < Math.min(room.total * share, bytes)
  if (!isBelow(LOW_DISK)) return OK
  return {
    state: isBelow(FULL_DISK) ? 'wrong' : 'warning',
    text: `only ${describeRoom(room)} free on the disk of ${folder}: when the disk is full, nothing is saved and scripts stop running. Delete old backups, move SCRIPTWARD_BACKUP_DIR to another disk, or enlarge this one`,
  }
}

export function checkMemory(room: Room): Checked {
  if (room.free >= room.total * LOW_MEMORY_SHARE) return OK
  return {
    state: 'warning',
    text: `only ${describeRoom(room)} of memory available: the system may kill the server. Stop other programs, lower SCRIPTWARD_OBFUSCATION_THREADS, or add memory`,
  }
}

function describeRoom({ free, total }: Room): string {
  return `${Math.round(free / 1_000_000)} MB (${((free / total) * 100).toFixed(1)}%)`
}

/**
 * Warns about a base URL that works only on this machine. Otherwise, only customers would notice the problem.
 */
export async function checkAddress({
  baseUrl,
  host,
  port,
}: Pick<Config, 'baseUrl' | 'host' | 'port'>): Promise<Checked> {
  const address = baseUrl ?? `http://${host}:${port}`
  const isHere = baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)
  return isHere
    ? { state: 'warning', text: LOCAL_ADDRESS(address) }
    : { state: 'ok', text: `links start with ${address}` }
}

const LOCAL_ADDRESS = (address: string) =>
  `SCRIPTWARD_BASE_URL: links in emails and loaders start with ${address}, which only works on this machine: set it to the public URL, such as https://ward.example.org`

/** Reports whether the last attempt failed, and the age of the last backup. */
export async function checkBackup({
  config,
  db,
  now,
}: Pick<Opened, 'config' | 'db' | 'now'>): Promise<Checked> {
  const last = await findLast({ dataDir: config.dataDir, read: db.read })
  const { failed_at, failure } = (await findBackupState(db.read)) ?? {}
  if (failed_at && failed_at > (last?.made_at ?? 0))
    return { state: 'warning', text: `the last attempt failed: ${failure}` }
  const { isFault, text } = describeAge(last, config.backup.everyMs, now())
  return { state: isFault ? 'warning' : 'ok', text }
}

type Opened = {
  readonly config: Config
  readonly db: Pick<Database, 'read'>
  readonly now: () => number
  readonly valkey: Pick<Valkey, 'isUp'> | undefined
  readonly readiness: Readiness
  readonly outages: Outages
  /** Whether emails can be sent. Checked at most once per minute. */
  readonly checkMail: () => Promise<Checked>
}

const CHECKS: Readonly<Record<string, (opened: Opened) => Promise<Checked>>> = {
  runtime: checkRuntime,
  'data folder': async ({ config: { dataDir } }) => {
    const fault = dataFolderFault(dataDir)
    if (fault !== undefined) throw new Error(fault)
    return warningIf(looseFolder(dataDir))
  },
  database: async ({ config, readiness }) => {
    await readiness.checkDatabase().catch((error: unknown) => {
      throw databaseFault(error, config)
    })
    return OK
  },
  valkey: async ({ valkey }) => {
    if (valkey === undefined) return NO_VALKEY
    if (!valkey.isUp) throw new Error('the connection to Valkey is lost')
    return OK
  },
  address: ({ config }) => checkAddress(config),
  mail: (opened) => opened.checkMail(),
  disk: async ({ config: { dataDir } }) => checkDisk(dataDir, await diskOf(dataDir)),
  memory: async () => checkMemory(memoryOfMachine()),
  backup: checkBackup,
}

export async function examineRunning(opened: Opened): Promise<Finding[]> {
  const warnings = warningsOf(opened.config).map((text): Checked => ({ state: 'warning', text }))
  const settings = warnings.length > 0 ? warnings : [OK]
  const checked = Object.entries(CHECKS).map(
    async ([name, check]): Promise<Finding> => dated(opened, name, await check(opened).catch(wrong)),
  )
  return [...settings.map((one) => ({ name: 'settings', ...one })), ...(await Promise.all(checked))]
}

function dated({ outages }: Opened, name: string, checked: Checked): Finding {
  if (checked.state === 'warning' || checked.state === 'wrong')
    return { name, ...checked, since: outages.note(name) }
  outages.end(name)
  return { name, ...checked }
}
