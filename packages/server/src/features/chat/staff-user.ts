/**
 * Helpers for staff commands about a user's key: the option for the chat account, and the lookup of the
 * linked key.
 */
import type { UserSubject } from '../projects/store/subjects.ts'
import { findLinked, problem } from './act.ts'
import type { Answer, Asked, Command, Given, Option } from './command.ts'
import { person, say } from './text.ts'

export const userOption: Option = {
  name: 'user',
  summary: "The person's account",
  kind: 'person',
  isRequired: true,
}

type ForUser = (asked: Asked, subject: UserSubject, given: Given) => Promise<Answer>

/** Runs `answer` for the key that is linked to the given chat account. */
export function forUser(answer: ForUser): Command['run'] {
  return async (asked, given) => {
    const { user = '' } = given
    const subject = await findLinked(asked, user)
    return subject
      ? answer(asked, subject, given)
      : problem(say`No key is linked to ${person(user)}. Use /key give to create one.`)
  }
}
