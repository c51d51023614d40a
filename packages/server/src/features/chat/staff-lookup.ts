/** Staff commands that look up keys and the chat accounts linked to them. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Refused } from '../../api/refusals.ts'
import { describeFingerprint } from '../devices/manage-devices.ts'
import { type UserWithStatus, withStatus, withStatuses } from '../keys/attach-status.ts'
import { readTags } from '../keys/labels.ts'
import { filterUsers } from '../keys/lists.ts'
import { findKeySubject, type UserSubject } from '../projects/store/subjects.ts'
import { maskKey } from '../webhooks/events/chat-text.ts'
import { problem, refusedAnswer } from './act.ts'
import type { Answer, Asked, Command, Given } from './command.ts'
import { denialFields } from './customer.ts'
import { describeKey, endText, keyFields, maskedText, personText, planText, statusText } from './key-text.ts'
import { forUser, userOption } from './staff-user.ts'
import { lines, person, say, type Text, value } from './text.ts'

const MAX_FOUND = 5

const find: Command = {
  name: 'key find',
  summary: 'Find keys by part of the key, account or note',
  scope: 'users:read',
  options: [
    { name: 'text', summary: 'Text to find', kind: 'text', isRequired: true, longest: MAX_USER_KEY_LENGTH },
  ],
  run: findKeys,
}

async function findKeys(asked: Asked, { text = '' }: Given): Promise<Answer> {
  const { deps, subject } = asked
  const search = accountIn(text) ?? text.trim()
  if (search === '') return problem('Enter part of a key, an account or a note.')
  const { project } = subject
  const found = await filterUsers(deps, { project, issuer: undefined }, { search }, { limit: MAX_FOUND + 1 })
  if (found instanceof Refused) return refusedAnswer(found)
  const users: UserWithStatus[] = []
  for await (const page of withStatuses(deps, project, found.pages)) users.push(...page)
  if (users.length === 0) return problem(say`No keys found for “${value(search)}”.`)
  const isMore = users.length > MAX_FOUND
  return {
    title: 'Keys',
    text: isMore
      ? say`These are the first ${value(MAX_FOUND)}. Enter more text to narrow the search.`
      : say``,
    fields: users.slice(0, MAX_FOUND).map((one) => ({ name: maskKey(one.user.key), text: summaryOf(one) })),
  }
}

/** Extracts the ID from a mention, which is how chat services insert accounts into messages. */
function accountIn(text: string): string | undefined {
  return /^\s*<@!?(\d{5,22})>\s*$/.exec(text)?.[1]
}

function summaryOf(one: UserWithStatus): Text {
  const { user } = one
  return lines(
    say`${personText(user)} · ${statusText(one)} · ${planText(one)} · Expires: ${endText(one)}`,
    ...(user.note === null ? [] : [say`Note: ${value(user.note)}`]),
  )
}

const who: Command = {
  name: 'who',
  summary: 'Show who has a key',
  scope: 'users:read',
  options: [
    { name: 'key', summary: 'License key', kind: 'key', isRequired: true, longest: MAX_USER_KEY_LENGTH },
  ],
  async run(asked, { key = '' }) {
    const { deps, subject } = asked
    const found = await findKeySubject(deps.db.readPoint, subject.project.id, key.trim())
    const user = found && (await withStatus(deps, found))
    return user ? describeWhole(user) : problem('This project has no such key. Check it, and try again.')
  },
}

function describeWhole(found: UserWithStatus): Answer {
  const { user } = found
  const device = describeFingerprint(user).split('\n').filter(Boolean)
  const tags = readTags(user.tags)
  return {
    title: 'Key details',
    text: say``,
    fields: [
      { name: 'Person', text: personText(user) },
      { name: 'Key', text: maskedText(user) },
      ...keyFields(found),
      { name: 'Runs', text: say`${value(user.executions)}` },
      { name: 'Device', text: device.length === 0 ? say`Not bound yet` : say`${value(device.join(', '))}` },
      ...(user.note === null ? [] : [{ name: 'Note', text: say`${value(user.note)}` }]),
      ...(tags.length === 0 ? [] : [{ name: 'Tags', text: say`${value(tags.join(', '))}` }]),
    ],
  }
}

const why: Command = {
  name: 'why',
  summary: "Show why someone's last runs were denied",
  scope: 'users:read',
  options: [userOption],
  run: forUser(async (asked: Asked, subject: UserSubject, { user = '' }: Given): Promise<Answer> => {
    const denials = await denialFields(asked, subject)
    const none = denials.length === 0
    return {
      title: 'Why their runs were denied',
      text: none
        ? say`None of ${person(user)}'s runs were denied in the last 30 days.`
        : say`${person(user)}`,
      fields: [...(await describeKey(asked, subject)), ...denials],
    }
  }),
}

export const staffLookupCommands: readonly Command[] = [find, who, why]
