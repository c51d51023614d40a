/** Display names of customers. */
import { text } from '../messages/text.ts'
import { shortKey } from './short-key.ts'

export type Named = {
  readonly user_key: string | null
  readonly note: string | null
  readonly chat_id: string | null
}

/** Returns the note, the Discord account, or the start and end of the key, in this order of preference. */
export function customerName({ user_key, note, chat_id }: Named): string {
  if (user_key === null) return text.noKey
  if (note !== null && note.trim() !== '') return note
  return chat_id === null ? shortKey(user_key) : text.discordName(chat_id)
}

/** Whether the customer has a name other than the key. */
export function hasName({ note, chat_id }: Named): boolean {
  return (note !== null && note.trim() !== '') || chat_id !== null
}
