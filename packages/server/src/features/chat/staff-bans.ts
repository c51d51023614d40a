/** Staff commands that ban users from running scripts, whatever key they use. */
import { Refused } from '../../api/refusals.ts'
import { createBan, previewBan, removeBan } from '../bans/bans.ts'
import { act, Problem, problem, refusedAnswer } from './act.ts'
import type { Answer, Asked, Command, Given } from './command.ts'
import { readDuration } from './durations.ts'
import { timeOption } from './staff-keys.ts'
import { userOption } from './staff-user.ts'
import { lines, person, say, time, value } from './text.ts'

/** Maximum length of a ban's reason, in characters. */
const LONGEST_REASON = 255

const ban: Command = {
  name: 'ban',
  summary: 'Block someone from running your scripts',
  scope: 'users:write',
  options: [
    userOption,
    { ...timeOption, summary: 'Duration, such as 3d. Default: permanent', isRequired: false },
    { name: 'reason', summary: 'Reason, shown to them', kind: 'text', longest: LONGEST_REASON },
  ],
  run: banPerson,
}

async function banPerson(asked: Asked, { user: id = '', time: length, reason = '' }: Given): Promise<Answer> {
  const { deps, subject } = asked
  const duration = length === undefined ? undefined : readDuration(length)
  if (duration instanceof Problem) return duration.answer
  const expires = duration === undefined ? 0 : deps.now() + duration
  const body = { kind: 'chat', value: id, reason, expires } as const
  const made = await act(asked, { action: 'v1.bans.create', body }, (on) => createBan(on, subject, body))
  if (!(made instanceof Refused)) {
    const ends = made.expires === null ? say`permanently` : say`until ${time(made.expires)}`
    return {
      tone: 'good',
      text: lines(
        say`${person(id)} is blocked ${ends}. Their runs have ended.`,
        ...(made.reason === null ? [] : [say`Reason: ${value(made.reason)}`]),
      ),
      buttons: [{ label: 'Unblock', command: unban.name, given: { user: id }, isSingleUse: true }],
    }
  }
  return made.reason === 'already_banned'
    ? problem(say`${person(id)} is already blocked. To change the duration or the reason, use /unban first.`)
    : refusedAnswer(made)
}

const unban: Command = {
  name: 'unban',
  summary: 'Let someone run your scripts again',
  scope: 'users:write',
  options: [userOption],
  run: unbanPerson,
}

async function unbanPerson(asked: Asked, { user: id = '' }: Given): Promise<Answer> {
  const { deps, subject } = asked
  const found = await previewBan(deps, subject, { kind: 'chat', value: id })
  if (found instanceof Refused) return refusedAnswer(found)
  const { ban_id } = found
  if (ban_id === null) return problem(say`${person(id)} is not blocked.`)
  const refused = await act(asked, { action: 'v1.bans.remove', nouns: { ban_id } }, (on) =>
    removeBan(on, subject, ban_id),
  )
  if (refused) return refusedAnswer(refused)
  return { tone: 'good', text: say`${person(id)} can run your scripts again, if their key is valid.` }
}

export const staffBanCommands: readonly Command[] = [ban, unban]
