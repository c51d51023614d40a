/** Backup commands. They work whether the server is running or not. See `docs/guide/backup.md`. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Writable } from 'node:stream'
import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { type Made, makeBackup, type Target } from '../features/backups/archive/make.ts'
import { BackupFault, type Manifest } from '../features/backups/archive/manifest.ts'
import { isFolder, listBackups, removeOldBackups } from '../features/backups/archive/places.ts'
import { restoreBackup } from '../features/backups/archive/restore.ts'
import { type AgeKeys, makeAgeKeys, readAgePrivateKey } from '../platform/secrets/age.ts'
import { databaseFault, dataFolderFault, holdDataFolder } from '../startup-checks.ts'

export type BackupContext = {
  readonly now: () => number
  readonly config: () => Config
  readonly print: (text: string) => void
  /** Prints a warning alongside the result. */
  readonly warn: (text: string) => void
  readonly output: Writable & { readonly isTTY?: boolean }
  /** The signal aborts on Ctrl-C. */
  readonly untilStopped: () => AbortSignal
}

const UNSEALED =
  'this backup is not encrypted: anyone who can read it has all sources, keys and email addresses. Set SCRIPTWARD_BACKUP_PASSPHRASE or SCRIPTWARD_BACKUP_PUBLIC_KEY'

export function addBackup(program: Command, context: BackupContext): void {
  program
    .command('backup')
    .description('Back up the database and keyring to a single file, even while the server is running')
    .argument(
      '[path]',
      'New file such as scriptward.tar.zst, a folder, or - for standard output (default: SCRIPTWARD_BACKUP_DIR)',
    )
    .option('--keep <count>', 'Number of backups to keep in the folder; older ones are deleted')
    .action((place: string | undefined, { keep }: { readonly keep?: string }) => back(context, place, keep))
  program
    .command('restore')
    .description('Check a backup and restore it into an empty data folder or database')
    .argument('<file>', 'Backup file')
    .option('--private-key <file>', 'Private key file for an encrypted backup')
    .option('--passphrase-file <file>', 'File with the passphrase (overrides SCRIPTWARD_BACKUP_PASSPHRASE)')
    .action((file: string, options: KeyOptions) => restore(context, file, options))
  program
    .command('backup-keys')
    .description('Create a key pair for encrypting and decrypting backups')
    .action(() => context.print(describeKeys()))
}

async function back(context: BackupContext, place: string | undefined, keep?: string): Promise<void> {
  const config = context.config()
  const count = keep === undefined ? undefined : countOf(keep)
  const target = place === undefined ? { folder: config.backup.dir } : targetOf(context, place)
  if (count !== undefined && !('folder' in target))
    throw new Error(`--keep needs a folder, but ${place} is ${place === '-' ? 'standard output' : 'a file'}`)
  if (config.backup.seal === undefined) context.warn(UNSEALED)
  const { service, seal } = { service: manifest.version, seal: config.backup.seal }
  const order = { store: config, seal, service, now: context.now() }
  const made = await withWords(config, () => makeBackup(order, target, context.untilStopped()))
  if ('folder' in target && count !== undefined)
    await removeOldBackups(target.folder, count, path.basename(made.place))
  if (!('stream' in target)) context.print(describeMade(made))
}

function countOf(keep: string): number {
  if (!/^[1-9]\d{0,4}$/.test(keep))
    throw new Error(`--keep must be a whole number of at least 1, not "${keep}"`)
  return Number(keep)
}

/**
 * A path that does not exist yet is treated as a file if it has an extension, such as
 * `scriptward.tar.zst`.
 */
function targetOf({ output }: BackupContext, place: string): Target {
  if (place === '-') {
    if (output.isTTY)
      throw new Error(
        "a backup is binary data and can't be printed to a terminal: redirect it to a file or a program",
      )
    return { stream: output }
  }
  const isFile = existsSync(place) ? !isFolder(place) : path.extname(place) !== '' && !place.endsWith('/')
  return isFile ? { file: place } : { folder: place }
}

function describeMade({ place, manifest: { counts, made_at, schema } }: Made): string {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return `${place}\n${rows} rows in ${Object.keys(counts).length} tables, schema ${schema}, ${date(made_at)}\n`
}

type KeyOptions = { readonly privateKey?: string; readonly passphraseFile?: string }

async function restore(context: BackupContext, file: string, options: KeyOptions): Promise<void> {
  const config = context.config()
  const fault = dataFolderFault(config.dataDir)
  if (fault !== undefined) throw new Error(fault)
  if (isFolder(file)) throw new Error(await describeFolder(file))
  // Otherwise, a server could start during the restore and create a database that the restore overwrites.
  const folder = holdDataFolder(config)
  try {
    const restoring = { file, store: config, keys: keysOf(config, options), signal: context.untilStopped() }
    const restored = await withWords(config, () => restoreBackup(restoring))
    context.print(describeRestored(restored))
  } finally {
    folder.release()
  }
}

async function describeFolder(folder: string): Promise<string> {
  const [newest] = await listBackups(folder)
  const fix = newest
    ? `name a file in it; the latest is ${path.join(folder, newest.name)}`
    : 'and contains no backup'
  return `${folder} is a folder${newest ? ': ' : ' '}${fix}`
}

function keysOf({ backup: { seal } }: Config, { privateKey, passphraseFile }: KeyOptions): AgeKeys {
  const passphrase = passphraseFile === undefined ? undefined : readText(passphraseFile).replace(/\r?\n$/, '')
  const ofConfig = seal !== undefined && 'passphrase' in seal ? seal.passphrase : undefined
  return {
    passphrase: passphrase ?? ofConfig,
    privateKey: privateKey === undefined ? undefined : privateKeyIn(privateKey),
  }
}

function privateKeyIn(file: string): string {
  const found = readAgePrivateKey(readText(file))
  if (found === undefined)
    throw new Error(`${file} contains no age private key (a line with AGE-SECRET-KEY-1…)`)
  return found
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function describeRestored({ engine, schema, made_at, counts }: Manifest): string {
  return [
    `Restored the backup of ${date(made_at)}: ${engine}, schema ${schema}, ${counts.users ?? 0} users, ${counts.scripts ?? 0} scripts`,
    'All rows were restored, and the keyring decrypts the sources. You can start the server now.\n',
  ].join('\n')
}

/** Database errors name the setting to check, as in all other commands. */
async function withWords<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as Error).name === 'AbortError')
      throw new Error('stopped: nothing was changed', { cause: error })
    const isOfDriver =
      error instanceof Error && ('severity' in error || 'syscall' in error || 'errcode' in error)
    throw error instanceof BackupFault || !isOfDriver ? error : databaseFault(error, config)
  }
}

function describeKeys(): string {
  const { publicKey, privateKey } = makeAgeKeys()
  return `# public key: ${publicKey}\n${privateKey}\n`
}

function date(time: number): string {
  return new Date(time).toISOString()
}
