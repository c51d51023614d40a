/**
 * Who is in the chat server of a project. Who knows that is a {@link MembershipProvider}; the one that there is believes
 * what the project's bot says over the management API. What follows from it is in `verify.ts`.
 */
import type { Deps } from '../deps.ts'
import {
  countChatMembers,
  deleteChatMembers,
  deleteOtherChatMembers,
  findChatMember,
  insertChatMembers,
  listChatMembers,
} from '../store/chat-members.ts'
import type { CustomerRow } from '../store/customers.ts'
import type { Queries } from '../store/db.ts'
import { lockProject, type ProjectRow } from '../store/projects.ts'
import { type Refused, refuse } from './refusals.ts'

/** Answers from what it has, in the transaction of an execution too, so that it must not ask anybody far away. */
export type MembershipProvider = {
  isMember(db: Queries, projectId: string, chatId: string): Promise<boolean>
}

export const toldMembers: MembershipProvider = {
  isMember: async (db, projectId, chatId) => (await findChatMember(db, projectId, chatId)) !== null,
}

type Owner = { readonly customer: CustomerRow; readonly project: ProjectRow }
type Failures = Refused<'not_found' | 'too_many_chat_members'>

/** Of one project. */
export const MOST_CHAT_MEMBERS = 250_000

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
    return (await countChatMembers(tx, projectId)) <= MOST_CHAT_MEMBERS
      ? { added }
      : refuse('too_many_chat_members', { limit: MOST_CHAT_MEMBERS })
  })
}

/** Whoever is removed may go on with what he runs; the next execution is denied. */
export async function removeChatMembers(
  deps: Deps,
  owner: Owner,
  chatIds: readonly string[],
): Promise<{ removed: number } | Refused<'not_found'>> {
  return change(deps, owner, async (tx) => ({
    removed: await deleteChatMembers(tx, owner.project.id, trimmed(chatIds)),
  }))
}

/** These are all members from now on, and nobody else is; whoever calls sees to the bound. */
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

/** One change of a project's members at a time, or two could pass the bound together. */
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
