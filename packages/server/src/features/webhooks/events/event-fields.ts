/** The lines of an event's Discord form. */
import { codeText, maskKey, mentionText, plainText } from './chat-text.ts'
import type { BlacklistData, Change, EventUser, ExecutionData, RunData } from './event-shapes.ts'

/** A line of the Discord form. `value` is already escaped. */
export type Field = readonly [name: string, value: string]

export function executionFields({ script, user, execution, client }: ExecutionData): readonly Field[] {
  return [
    ['Script', `${plainText(script.name)} (v${script.version})`],
    ['Key', user ? codeText(maskKey(user.key)) : 'N/A'],
    ['User', mentionText(user?.chat_id)],
    ['Executor', plainText(execution.executor)],
    ['Executions', plainText(user?.executions)],
    ['IP', plainText(client.ip)],
    ['Fingerprint', plainText(client.fingerprint)],
  ]
}

export function runFields({ script, user, execution }: RunData): readonly Field[] {
  return [
    ['Script', `${plainText(script.name)} (v${script.version})`],
    ['Key', user ? codeText(maskKey(user.key)) : 'N/A'],
    ['User', mentionText(user?.chat_id)],
    ['Executor', plainText(execution.executor)],
  ]
}

export function userFields({ user }: { readonly user: EventUser }): readonly Field[] {
  return [
    ['Key', codeText(maskKey(user.key))],
    ['User', mentionText(user.chat_id)],
    ['Note', plainText(user.note)],
    ['Expires', user.key_expires === null ? 'never' : timeText(user.key_expires)],
  ]
}

export function blacklistFields(data: BlacklistData): readonly Field[] {
  return [
    ...userFields(data),
    ['Reason', plainText(data.reason)],
    ['Until', data.expires === null ? 'permanently' : timeText(data.expires)],
  ]
}

export function changeFields(changes: readonly Change[]): readonly Field[] {
  return [['Changed', plainText(changes.map(({ member }) => member).join(', '))]]
}

export function yesNo(yes: boolean): string {
  return yes ? 'yes' : 'no'
}

export function timeText(time: number): string {
  return plainText(new Date(time).toISOString().slice(0, 16).replace('T', ' '))
}
