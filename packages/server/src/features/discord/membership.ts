/**
 * Whether an account is a member of a project's Discord server. Projects with a bot query Discord and cache
 * the response. Other projects use the list that their author reports.
 */
import { isForeignKeyViolation } from '../../database/engine/dialect.ts'
import type { Deps } from '../../deps.ts'
import { DiscordFailure } from '../../platform/discord/api.ts'
import { isSnowflake } from '../../platform/discord/snowflake.ts'
import { isReported } from '../projects/chat-members.ts'
import { botOf, noteFailure } from './bot.ts'
import { findBot } from './store/bots.ts'
import { findKnownMember, type KnownMember, saveMember } from './store/members.ts'

/** `unknown`: Discord didn't respond, and the account wasn't known as a member within the last hour. */
export type Membership = 'member' | 'missing' | 'unknown'

/** The membership of a Discord account. `chatId` is null if the user has no account. */
export type LearnedMembership = { readonly chatId: string | null; readonly membership: Membership }

type Required = { readonly project_id: string; readonly require_join_chat_server: number }

const MEMBER_MS = 5 * 60_000
/**
 * Negative results are cached only briefly, so that users can run a script soon after they join the server.
 */
const MISSING_MS = 15_000
const LAST_KNOWN_MS = 60 * 60_000
const QUESTION_MS = 2000
/** Discord's errors for accounts that aren't on the server: Unknown Member and Unknown User. */
const NOT_A_MEMBER: readonly number[] = [10_007, 10_013]

/**
 * May send a request to Discord, so it must not be called inside a transaction. Does nothing unless the
 * project requires membership.
 */
export async function learnMembership(
  deps: Deps,
  required: Required | null,
  user: { readonly chat_id: string | null } | null,
): Promise<LearnedMembership> {
  const chatId = user?.chat_id ?? null
  if (required?.require_join_chat_server !== 1 || chatId === null) return { chatId, membership: 'missing' }
  return { chatId, membership: await findMembership(deps, required.project_id, chatId) }
}

/** Returns `unknown` if the user has been linked to another account since the lookup. */
export function membershipOf(
  learned: LearnedMembership,
  user: { readonly chat_id: string | null },
): Membership {
  return learned.chatId === user.chat_id ? learned.membership : 'unknown'
}

async function findMembership(deps: Deps, projectId: string, chatId: string): Promise<Membership> {
  const { api, questions } = deps.discord
  const known = api.isOff ? null : await findKnownMember(deps.db.readPoint, projectId, chatId)
  if (known === null) return nameAnswer(await isReported(deps.db.readPoint, projectId, chatId))
  // Other strings must not become part of a URL. Besides, a single rejected lookup would pause the lookups of
  // all other accounts.
  if (!isSnowflake(chatId)) return 'missing'
  const now = deps.now()
  const fresh = freshAnswer(known, now)
  if (fresh !== undefined) return nameAnswer(fresh)
  const answer = await questions.ask({ projectId, chatId, now }, async () => {
    // Since the first read, another lookup may have saved its answer.
    const latest = await findKnownMember(deps.db.readPoint, projectId, chatId)
    const saved = latest === null ? undefined : freshAnswer(latest, now)
    return saved ?? askDiscord(deps, projectId, chatId)
  })
  if (answer !== undefined) return nameAnswer(answer)
  return known.is_member === 1 && ageOf(known, now) < LAST_KNOWN_MS ? 'member' : 'unknown'
}

/** Returns undefined if Discord has to be asked again. */
function freshAnswer(known: KnownMember, now: number): boolean | undefined {
  const isMember = known.is_member === 1
  return ageOf(known, now) < (isMember ? MEMBER_MS : MISSING_MS) ? isMember : undefined
}

function ageOf({ asked_at }: KnownMember, now: number): number {
  return asked_at === null ? Number.POSITIVE_INFINITY : Math.abs(now - asked_at)
}

function nameAnswer(isMember: boolean): Membership {
  return isMember ? 'member' : 'missing'
}

/** Resolves to undefined if Discord doesn't respond. */
async function askDiscord(deps: Deps, projectId: string, chatId: string): Promise<boolean | undefined> {
  const row = await findBot(deps.db.readPoint, projectId)
  if (row === null || row.server_id === null) return undefined
  const path = `/guilds/${row.server_id}/members/${chatId}` as const
  const request = { method: 'GET', path, timeoutMs: QUESTION_MS } as const
  const answer = await deps.discord.api.call(botOf(deps, row), request)
  const isMember = !(answer instanceof DiscordFailure)
  if (!isMember && !NOT_A_MEMBER.includes(answer.code)) {
    await noteFailure(deps, projectId, answer)
    return undefined
  }
  const { server_id } = row
  await keepAnswer(deps, {
    ...{ project_id: projectId, chat_id: chatId, server_id },
    ...{ is_member: isMember ? 1 : 0, asked_at: deps.now() },
  })
  return isMember
}

async function keepAnswer(
  { unauditedDb }: Pick<Deps, 'unauditedDb'>,
  row: Parameters<typeof saveMember>[1],
): Promise<void> {
  try {
    await unauditedDb.transaction((tx) => saveMember(tx, row))
  } catch (error) {
    // A foreign key violation means that the project has been removed.
    if (!isForeignKeyViolation(error)) throw error
  }
}
