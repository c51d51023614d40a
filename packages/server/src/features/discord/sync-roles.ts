/**
 * Keeps customers' Discord roles up to date. A check becomes due when a database trigger fires, when a
 * comparison starts, or when its scheduled time is reached. A failed check stays due, so no change is lost.
 */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { DiscordFailure } from '../../platform/discord/api.ts'
import { noteFailure, noteSuccess } from './bot.ts'
import { compareDueRoles } from './compare-roles.ts'
import { checkMember, type MemberState, RoleBot } from './member-role.ts'
import { type BotRow, findBot, updateBot } from './store/bots.ts'
import {
  type Check,
  claimChecks,
  finishCheck,
  listDueBots,
  releaseCheck,
  upsertCheck,
} from './store/role-checks.ts'

const EVERY_MS = 15_000
const BOT_BATCH_SIZE = 50
const CHECK_BATCH_SIZE = 20
/**
 * Time limit per bot in each run. A rate-limited bot continues in the next run, so that other bots don't wait
 * for it.
 */
const BOT_BUDGET_MS = 8000
/** Claims last longer than a batch takes, including its last requests. */
const LEASE_MS = 120_000
const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 30 * 60_000

/** Any number of processes may run this, because each one claims the checks that it makes. */
export function syncRoles(deps: Deps): Worker {
  let after = ''
  return {
    name: 'sync-roles',
    everyMs: EVERY_MS,
    async run(signal) {
      if (deps.discord.api.isOff) return false
      await compareDueRoles(deps)
      const bots = await listDueBots(deps.db.read, { now: deps.now(), after, limit: BOT_BATCH_SIZE })
      const isFull = bots.length === BOT_BATCH_SIZE
      const isFirst = after === ''
      after = isFull ? (bots.at(-1)?.project_id ?? '') : ''
      const more = await Promise.all(bots.map((bot) => trySync(deps, bot, signal)))
      return isFull || !isFirst || more.includes(true)
    },
  }
}

/** A bot that can't be used, for example because its token can't be decrypted, must not delay the others. */
async function trySync(deps: Deps, bot: BotRow, signal: AbortSignal): Promise<boolean> {
  try {
    return await syncBot(deps, bot, signal)
  } catch (error) {
    const { project_id } = bot
    deps.log.warn({ project_id, error: String((error as Error).stack) }, 'roles could not be checked')
    return false
  }
}

/** Makes one batch of checks for a bot. Returns whether there may be more. */
async function syncBot(deps: Deps, bot: BotRow, signal: AbortSignal): Promise<boolean> {
  const { unauditedDb: db } = deps
  const { project_id } = bot
  const over = AbortSignal.any([signal, AbortSignal.timeout(BOT_BUDGET_MS)])
  const now = deps.now()
  const claim = { now, until: now + LEASE_MS, limit: CHECK_BATCH_SIZE }
  const claimed = await db.transaction((tx) => claimChecks(tx, project_id, claim))
  // Those of a comparison come last, because there may be no time for all of them.
  const checks = claimed.toSorted((a, b) => Number(a.asks) - Number(b.asks))
  const on = new RoleBot(deps, bot)
  let failure: DiscordFailure | undefined
  for (const check of checks) {
    const state = over.aborted || failure ? undefined : await makeCheck(on, check)
    if (state instanceof DiscordFailure) failure = state
    if (over.aborted || failure) await db.transaction((tx) => releaseCheck(tx, check))
  }
  await noteState(on, failure)
  return failure === undefined && (over.aborted || checks.length === CHECK_BATCH_SIZE)
}

async function makeCheck(on: RoleBot, check: Check): Promise<MemberState | DiscordFailure> {
  const outcome = await checkMember(on, check)
  if (outcome instanceof DiscordFailure) return outcome
  await on.deps.unauditedDb.transaction(async (tx) => {
    // The check may have missed a change that was made while it ran.
    if (!(await finishCheck(tx, check, outcome.changesAt)))
      await upsertCheck(tx, { ...check, due_at: 0, asks: true })
  })
  return outcome.state
}

/** The wait doubles with each consecutive failure. */
async function noteState({ deps, bot }: RoleBot, failure: DiscordFailure | undefined): Promise<void> {
  if (failure) await noteFailure(deps, bot.project_id, failure)
  else if (bot.roles_failures === 0) return
  else await noteSuccess(deps, bot)
  const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** bot.roles_failures)
  const changes = failure
    ? { roles_failures: bot.roles_failures + 1, roles_retry_at: deps.now() + wait }
    : { roles_failures: 0, roles_retry_at: null }
  await deps.unauditedDb.transaction((tx) => updateBot(tx, bot.project_id, changes))
}

/**
 * Checks one account immediately, for a user who is waiting for the result. Returns undefined if the project
 * has no bot on a server.
 */
export async function syncMemberNow(
  deps: Deps,
  projectId: string,
  chatId: string,
): Promise<MemberState | DiscordFailure | undefined> {
  const bot = await findBot(deps.db.readPoint, projectId)
  if (bot === null || bot.server_id === null) return undefined
  const check = { project_id: projectId, chat_id: chatId, due_at: deps.now() + LEASE_MS, asks: true }
  await deps.unauditedDb.transaction((tx) => upsertCheck(tx, check))
  const state = await makeCheck(new RoleBot(deps, bot), check)
  if (!(state instanceof DiscordFailure)) return state
  await deps.unauditedDb.transaction((tx) => upsertCheck(tx, { ...check, due_at: 0 }))
  await noteFailure(deps, projectId, state)
  return state
}
