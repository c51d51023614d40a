/** Tables for bulk changes and the data to undo them. */
import { nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/** Bulk changes and removals: who made them and when, what changed, and the result of an undo. */
const changes = {
  seq,
  id: text,
  customer_id: text,
  project_id: text,
  /** The project's name when the change was made, because the project may since have been deleted. */
  project_name: text,
  /** The action, such as `clear`. */
  action: text,
  /** JSON: the parameters of the action. */
  details: withDefault(text),
  actor_kind: textOf<'api_key' | 'token' | 'person' | 'command_line' | 'chat' | 'job'>(),
  actor_id: nullable(text),
  actor_name: text,
  created_at: number,
  /** When the change or its undo last made progress. */
  touched_at: number,
  count: withDefault(number),
  /** JSON: the key, note and Discord account of the first affected users, which remain after an undo. */
  samples: withDefault(text),
  /**
   * `open` while users are added in several transactions, `ended` while they are deleted again after a
   * failure. In both states, these users are hidden, lists omit the change, and its account can't add other
   * users.
   */
  state: textOf<'open' | 'ended' | 'done' | 'undoing' | 'undone'>(),
  /** Identifies the request that performs the undo if several requests try. */
  claim: nullable(text),
  undone_at: nullable(number),
  undone_by: nullable(text),
  /** Number of rows that the undo restored, and number of rows that it left unchanged. */
  restored: withDefault(number),
  skipped: withDefault(number),
  /** JSON: the first rows left unchanged, with the reason. */
  skipped_entries: withDefault(text),
}
export type ChangesTable = TableOf<typeof changes>

/** Rows as they were before a change. */
const trash = {
  seq,
  change: number,
  /** Rows with the same number were changed in one transaction, and are restored in one transaction. */
  slice: number,
  /** The table of a removed row, `change` for a modified user, or `added` for an added user. */
  kind: text,
  user_key: nullable(text),
  /** JSON: the original row, or only the changed columns. For an added user, the row as created. */
  content: text,
  /** JSON: for a modified user, the same columns after the change. */
  after: nullable(text),
}

export const changeTables = { changes, trash }
