/** `scriptward move-to`: moves a server from SQLite to PostgreSQL. */
import path from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { databaseAddress } from '../config/values.ts'
import type { Filled, Step } from '../database/engine/postgres/fill.ts'
import { databaseIn, moveToPostgres, TargetFault } from '../features/backups/archive/move.ts'
import { keyringFileOf } from '../platform/secrets/keyring.ts'
import { databaseFault, holdDataFolder, postgresFault } from '../startup-checks.ts'
import { startBar, type Terminal } from './bar.ts'

export type MoveContext = {
  readonly config: () => Config
  readonly print: (text: string) => void
  readonly terminal: Terminal
  /** The signal aborts on Ctrl-C. */
  readonly untilStopped: () => AbortSignal
}

export function addMove(program: Command, context: MoveContext): void {
  program
    .command('move-to')
    .description('Copy the SQLite database into an empty PostgreSQL database')
    .argument(
      '[url]',
      'postgres://user:password@host/database (default: SCRIPTWARD_DATABASE_URL, which keeps the password out of the process list)',
    )
    .action((address: string | undefined) => move(context, address))
}

async function move(context: MoveContext, address: string | undefined): Promise<void> {
  const config = context.config()
  const to = address === undefined ? addressOf(config) : checkedAddress(address, config)
  const from = { ...config, databaseUrl: undefined }
  databaseIn(from)
  const folder = holdDataFolder(from)
  const bar = startBar(context.terminal)
  try {
    const signal = context.untilStopped()
    const report = (step: Step, share: number) => bar.show(STEPS[step], share)
    const filled = await moveToPostgres({ from, to, signal, report })
    bar.end()
    context.print(describe(filled, config))
  } catch (error) {
    bar.end()
    throw withWords(error, from, to)
  } finally {
    folder.release()
  }
}

const STEPS: Readonly<Record<Step, string>> = {
  copy: 'copying rows',
  index: 'creating indexes',
  check: 'verifying rows',
}

function addressOf({ databaseUrl }: Config): string {
  if (databaseUrl !== undefined) return databaseUrl
  throw new Error(
    'no target database: set SCRIPTWARD_DATABASE_URL to an empty PostgreSQL database, or run scriptward move-to postgres://user:password@host/database',
  )
}

/** Errors don't quote the URL, because it may contain a password. */
function checkedAddress(address: string, { databaseUrl }: Config): string {
  if (!/^postgres(ql)?:\/\//i.test(address))
    throw new Error('the URL must start with postgres://, as in postgres://user:password@host/database')
  const to = databaseAddress('the URL', address)
  if (databaseUrl !== undefined && databaseUrl !== to)
    throw new Error(
      'SCRIPTWARD_DATABASE_URL and the given URL name different databases: omit one of them. To move a server that already uses PostgreSQL, use pg_dump',
    )
  return to
}

function describe(filled: Filled, { dataDir, keyringFile, databaseUrl }: Config): string {
  const tables = Object.values(filled)
  const rows = tables.reduce((sum, { count }) => sum + count, 0)
  const setting =
    databaseUrl === undefined
      ? 'set SCRIPTWARD_DATABASE_URL to the URL of the database'
      : 'keep SCRIPTWARD_DATABASE_URL as it is'
  return [
    `Moved ${rows} rows in ${tables.length} tables, including ${filled.users?.count ?? 0} users. All rows were read back and match.`,
    `1. For the server, ${setting}.`,
    `2. Keep ${keyringFileOf({ dataDir, keyringFile })}: the keyring is not in the database, and nothing can be decrypted without it.`,
    `3. Start the server. ${path.join(dataDir, 'scriptward.db')} is unchanged: delete it once the server is running.\n`,
  ].join('\n')
}

function withWords(error: unknown, from: Config, to: string): unknown {
  if (error instanceof TargetFault) return new Error(postgresFault(error.cause, to), { cause: error })
  if ((error as Error).name === 'AbortError')
    return new Error('stopped: nothing was changed', { cause: error })
  return error instanceof Error && 'errcode' in error ? databaseFault(error, from) : error
}
