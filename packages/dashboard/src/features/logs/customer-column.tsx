import type { Column } from '../../components/table/table.tsx'
import { UserLink } from '../../components/user-link.tsx'
import { text } from '../../messages/text.ts'

type Row = {
  readonly user_key: string | null
  readonly note: string | null
  readonly chat_id: string | null
}

/** The customer of a run or denial. */
export function customerColumn<R extends Row>(projectId: string): Column<R> {
  return {
    id: 'customer',
    title: text.logs.customer,
    place: 'below',
    cell: ({ user_key, note, chat_id }) => (
      <UserLink projectId={projectId} userKey={user_key} note={note} chatId={chat_id} />
    ),
  }
}
