/** Finds a server's last backup and checks whether it is too old. */
import type { Queries } from '../../../database/engine/db.ts'
import { findBackupState } from '../store.ts'
import { findLastBackup } from './places.ts'

export type Last = {
  readonly made_at: number
  readonly place: string
  /** Host name of the machine that made the backup. Null for this machine. */
  readonly machine: string | null
}

type Asking = { readonly dataDir: string; readonly read: Queries }

/**
 * Returns the latest backup, whether made by a server on any machine or by a command for this data folder.
 */
export async function findLast({ dataDir, read }: Asking): Promise<Last | undefined> {
  const here = await findLastBackup(dataDir)
  const state = await findBackupState(read)
  const ofService = state?.made_at ?? null
  if (ofService === null || (here !== undefined && here.made_at >= ofService))
    return here && { ...here, machine: null }
  return { made_at: ofService, place: state?.place ?? '', machine: state?.machine ?? null }
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

export type Aged = { readonly isFault: boolean; readonly text: string }

/** `everyMs` is the configured interval. Undefined if automatic backups are off. */
export function describeAge(last: Last | undefined, everyMs: number | undefined, now: number): Aged {
  if (last === undefined) return { isFault: true, text: everyMs === undefined ? NONE : NONE_YET }
  const age = now - last.made_at
  const where = last.machine === null ? last.place : `${last.place} on ${last.machine}`
  const text = `last backup ${lengthOf(age)} ago: ${where}`
  if (age <= (everyMs === undefined ? MONTH_MS : 2 * everyMs)) return { isFault: false, text }
  return { isFault: true, text: `${text}. ${everyMs === undefined ? SET_EVERY : LATE(lengthOf(everyMs))}` }
}

const MONTH_MS = 31 * 86_400_000
const SET_EVERY = 'Set SCRIPTWARD_BACKUP_EVERY=1d, or run `scriptward backup FOLDER` from a timer'
const NONE = `no backup yet. ${SET_EVERY}`
const NONE_YET =
  'no backup yet, although SCRIPTWARD_BACKUP_EVERY is set. Start the server and search its log for make-backups'
const LATE = (every: string) =>
  `SCRIPTWARD_BACKUP_EVERY is set to ${every}. Search the server log for make-backups`

function lengthOf(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['minute', 60_000]
  const count = Math.max(0, Math.floor(ms / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
