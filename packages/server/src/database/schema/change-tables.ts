/** Tables of changes and of what undoes them, a part of `tables.ts`. */
import { nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/** Changes of many users, and removals: who, when, what, and how their undoing went. */
const changes = {
  seq,
  id: text,
  customer_id: text,
  project_id: text,
  /** As it was called then: the project may be removed. */
  project_name: text,
  /** What was done, such as `clear`. */
  action: text,
  /** JSON: what the action was given. */
  details: withDefault(text),
  actor_kind: textOf<'api_key' | 'token' | 'person' | 'command_line' | 'job'>(),
  actor_id: nullable(text),
  actor_name: text,
  created_at: number,
  /** When it, or its undoing, last made progress. */
  touched_at: number,
  count: withDefault(number),
  /**
   * `open` while users are added in several transactions, `ended` when they are being deleted because that went wrong. In both
   * they are hidden, lists leave the change out, and its customer adds no others.
   */
  state: textOf<'open' | 'ended' | 'done' | 'undoing' | 'undone'>(),
  /** Identifies the one of several requests that undoes it. */
  claim: nullable(text),
  undone_at: nullable(number),
  undone_by: nullable(text),
  /** What the undoing restored, and what it left as it was. */
  restored: withDefault(number),
  skipped: withDefault(number),
  /** JSON: the first of those that were left, with the reason. */
  skipped_entries: withDefault(text),
}
export type ChangesTable = TableOf<typeof changes>

/** Rows as they were before a change. */
const trash = {
  seq,
  change: number,
  /** Rows with the same number were changed in one transaction, and are restored in one. */
  slice: number,
  /** The table of a removed row; `change` for a user who was changed, `added` for one who was added. */
  kind: text,
  user_key: nullable(text),
  /** JSON: the row as it was, or those columns that the change was about; of an added user the row as it was made. */
  content: text,
  /** JSON: of a change, the same columns after it. */
  after: nullable(text),
}

export const changeTables = { changes, trash }
