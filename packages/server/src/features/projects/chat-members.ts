/**
 * The members of a project's Discord server, as reported by the author's program through the management API.
 * `features/discord/membership.ts` uses this list for projects without a connected bot.
 */

import { type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import {
  countChatMembers,
  deleteChatMembers,
  deleteOtherChatMembers,
  findChatMember,
  insertChatMembers,
  listChatMembers,
} from './store/chat-members.ts'
import { lockProject, type ProjectRow } from './store/projects.ts'

type Owner = { readonly customer: CustomerRow; readonly project: ProjectRow }
type Failures = Refused<'not_found' | 'too_many_chat_members'>

/** Maximum number of chat members per project. */
export const MAX_CHAT_MEMBERS = 250_000

export async function isReported(db: Queries, projectId: string, chatId: string): Promise<boolean> {
  return (await findChatMember(db, projectId, chatId)) !== null
}

export async function showChatMembers(
  { db }: Deps,
  { project }: Owner,
  { from = 0, limit = 1000 }: { readonly from?: number; readonly limit?: number },
) {
  const members = await listChatMembers(db.read, project.id, { from, limit })
  return { members, total: await countChatMembers(db.read, project.id) }
}

export async function addChatMembers(
  deps: Deps,
  owner: Owner,
  chatIds: readonly string[],
): Promise<{ added: number } | Failures> {
  const projectId = owner.project.id
  return change(deps, owner, async (tx) => {
    const added = await insertChatMembers(tx, { projectId, chatIds: trimmed(chatIds), now: deps.now() })
    return (await countChatMembers(tx, projectId)) <= MAX_CHAT_MEMBERS
      ? { added }
      : refuse('too_many_chat_members', { limit: MAX_CHAT_MEMBERS })
  })
}

/** Removes members. Their running sessions continue, but their next execution is denied. */
export async function removeChatMembers(
  deps: Deps,
  owner: Owner,
  chatIds: readonly string[],
): Promise<{ removed: number } | Refused<'not_found'>> {
  return change(deps, owner, async (tx) => ({
    removed: await deleteChatMembers(tx, owner.project.id, trimmed(chatIds)),
  }))
}

/** Replaces all members. The caller must check the maximum. */
export async function replaceChatMembers(
  deps: Deps,
  owner: Owner,
  chatIds: readonly string[],
): Promise<{ added: number; removed: number } | Refused<'not_found'>> {
  const projectId = owner.project.id
  const these = trimmed(chatIds)
  return change(deps, owner, async (tx) => {
    const removed = await deleteOtherChatMembers(tx, projectId, these)
    return { added: await insertChatMembers(tx, { projectId, chatIds: these, now: deps.now() }), removed }
  })
}

/** Locks the project, because two concurrent changes could exceed the maximum. */
async function change<T extends object>(
  { db }: Deps,
  { customer, project }: Owner,
  write: (tx: Queries) => Promise<T>,
): Promise<T | Refused<'not_found'>> {
  return db.bulk(async (tx) => {
    const row = await lockProject(tx, customer.id, project.id)
    return row === null ? refuse('not_found') : write(tx)
  })
}

function trimmed(chatIds: readonly string[]): string[] {
  return [...new Set(chatIds.map((chatId) => chatId.trim()))]
}
