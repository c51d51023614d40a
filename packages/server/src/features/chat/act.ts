/** Changes made by users of a chat bot. Like all changes, each writes an audit entry with its actor. */
import { type Reason, Refused, textOf } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../audit/entry.ts'
import { recordingOf } from '../audit/record.ts'
import { findUserByChat } from '../keys/store/users.ts'
import { findKeySubject, type UserSubject } from '../projects/store/subjects.ts'
import type { Answer, Asked, Person } from './command.ts'
import { say } from './text.ts'

/** `action` is the endpoint that makes the same change. */
export type Act = {
  readonly action: string
  readonly nouns?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export function actorOf({ id, name }: Person): Actor {
  return { kind: 'chat', id, name }
}

export async function act<T>(
  { deps, subject, person, requestId }: Asked,
  { action, nouns, body = {} }: Act,
  change: (deps: Deps) => Promise<T>,
): Promise<T> {
  const recording = recordingOf(deps, {
    customerId: subject.customer.id,
    actor: actorOf(person),
    address: undefined,
    requestId,
    action,
    nouns: { project_id: subject.project.id, ...nouns },
    before: undefined,
    body,
  })
  const outcome = await change(recording.deps)
  if (!(outcome instanceof Refused)) await recording.finish()
  return outcome
}

/** The user whose key is linked to this chat account. */
export async function findLinked(
  { deps, subject }: Pick<Asked, 'deps' | 'subject'>,
  chatId: string,
): Promise<UserSubject | undefined> {
  const row = await findUserByChat(deps.db.readPoint, subject.project.id, chatId)
  return row && findKeySubject(deps.db.readPoint, subject.project.id, row.key)
}

/** Returns an answer that explains an error and what to do about it. */
export function problem(text: Answer['text'] | string): Answer {
  return { tone: 'bad', text: typeof text === 'string' ? say`${{ kind: 'value', text }}` : text }
}

/** Returned instead of a value if the command cannot continue. `answer` explains what to do. */
export class Problem {
  readonly answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }
}

/** Replacements for error messages that are written for API clients. */
const WORDS: Readonly<Partial<Record<Reason, string>>> = {
  account_expired: "This project's account has expired. It must be renewed first.",
  max_users_reached: 'This account has reached its key limit. Remove some keys, or raise the limit.',
  not_found: 'This no longer exists. It has been removed.',
}

export function refusedAnswer(refused: Refused): Answer {
  const [first] = refused.members.failed ?? []
  if (first) return problem(`This was not accepted: ${first.field} ${first.errors.join(', ')}.`)
  return problem(WORDS[refused.reason] ?? textOf(refused))
}
