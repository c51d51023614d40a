/** The command that moves a service from SQLite to PostgreSQL. */
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
  /** Aborts when the person wants to stop. */
  readonly untilStopped: () => AbortSignal
}

export function addMove(program: Command, context: MoveContext): void {
  program
    .command('move-to')
    .description('copy the SQLite database of the data folder into an empty database of PostgreSQL')
    .argument(
      '[address]',
      'postgres://user:password@host/database; without it, what SCRIPTWARD_DATABASE_URL says, which keeps the password out of the list of processes',
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
  index: 'making indexes',
  check: 'reading all rows back',
}

function addressOf({ databaseUrl }: Config): string {
  if (databaseUrl !== undefined) return databaseUrl
  throw new Error(
    'name an empty database of PostgreSQL: set SCRIPTWARD_DATABASE_URL, or write scriptward move-to postgres://user:password@host/database',
  )
}

/** Errors do not quote the address, because it may contain a password. */
function checkedAddress(address: string, { databaseUrl }: Config): string {
  if (!/^postgres(ql)?:\/\//i.test(address))
    throw new Error('the address must begin with postgres://, as in postgres://user:password@host/database')
  const to = databaseAddress('the address', address)
  if (databaseUrl !== undefined && databaseUrl !== to)
    throw new Error(
      'SCRIPTWARD_DATABASE_URL names another database than the address: leave one of them out. A service that uses PostgreSQL already is moved with pg_dump',
    )
  return to
}

function describe(filled: Filled, { dataDir, keyringFile, databaseUrl }: Config): string {
  const tables = Object.values(filled)
  const rows = tables.reduce((sum, { count }) => sum + count, 0)
  const setting =
    databaseUrl === undefined
      ? 'set SCRIPTWARD_DATABASE_URL to the address of the database'
      : 'SCRIPTWARD_DATABASE_URL is set already'
  return [
    `Moved ${rows} rows of ${tables.length} tables, ${filled.users?.count ?? 0} users among them. All were read back and are equal.`,
    `1. For the service, ${setting}.`,
    `2. Keep ${keyringFileOf({ dataDir, keyringFile })}: the keyring is not in the database, and nothing opens without it.`,
    `3. Start the service. ${path.join(dataDir, 'scriptward.db')} is as it was: delete it when the service runs.\n`,
  ].join('\n')
}

function withWords(error: unknown, from: Config, to: string): unknown {
  if (error instanceof TargetFault) return new Error(postgresFault(error.cause, to), { cause: error })
  if ((error as Error).name === 'AbortError')
    return new Error('stopped: nothing was changed', { cause: error })
  return error instanceof Error && 'errcode' in error ? databaseFault(error, from) : error
}
