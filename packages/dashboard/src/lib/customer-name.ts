/** Display names of customers. */
import { text } from '../messages/text.ts'
import { shortKey } from './short-key.ts'

export type Named = {
  readonly user_key: string | null
  readonly note: string | null
  readonly chat_id: string | null
}

/**
 * Returns the note if there is one, otherwise the Discord account, otherwise the start and end of the key.
 */
export function customerName({ user_key, note, chat_id }: Named): string {
  if (user_key === null) return text.noKey
  if (note !== null && note.trim() !== '') return note
  return chat_id === null ? shortKey(user_key) : text.discordName(chat_id)
}

/** Whether the customer has a note or a Discord account, so that the name is not the key. */
export function hasName({ note, chat_id }: Named): boolean {
  return (note !== null && note.trim() !== '') || chat_id !== null
}
