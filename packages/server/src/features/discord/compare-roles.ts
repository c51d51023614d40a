/**
 * Compares the roles that all customers should have with their roles on Discord, once a day and on request.
 */
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { findBot, listUncompared, markCompared } from './store/bots.ts'
import { scheduleAll } from './store/role-checks.ts'

const DAY_MS = 86_400_000
const BOT_BATCH_SIZE = 20

/** Does nothing if the bot has no server. */
export async function compareRoles(
  deps: Pick<Deps, 'db' | 'now'>,
  projectId: string,
): Promise<Refused<'discord_not_connected'> | undefined> {
  if ((await findBot(deps.db.readPoint, projectId)) === null) return refuse('discord_not_connected')
  await startComparison(deps, projectId, Number.MAX_SAFE_INTEGER)
  return undefined
}

/** Starts a comparison for each bot that has not had one for a day. */
export async function compareDueRoles(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const before = deps.now() - DAY_MS
  const due = await listUncompared(deps.db.read, before, BOT_BATCH_SIZE)
  for (const projectId of due) await startComparison(deps, projectId, before)
}

/** If several processes try, only one starts the comparison. */
async function startComparison(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  projectId: string,
  before: number,
): Promise<void> {
  const at = now()
  await db.bulk(async (tx) => {
    if (await markCompared(tx, projectId, { now: at, before })) await scheduleAll(tx, projectId, at)
  })
}
