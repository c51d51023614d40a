/** A key's author-defined data, except its note, and the labels that user lists are filtered by. */
import { nullable, number, text } from './columns.ts'

/** Columns for author-defined data, which are part of the `users` table. */
export const labelColumns = {
  /** JSON: an array of strings. Null if there are none. */
  tags: nullable(text),
  /** JSON: an object defined by the author. Null if there is none. */
  metadata: nullable(text),
  /** JSON: an array of `name=value` for the fields of `metadata` that lists are filtered by. */
  metadata_labels: nullable(text),
  /** Unlike the note, never sent to scripts. */
  private_note: nullable(text),
  /** Recipient of the key, its issuer, and the time of issue. */
  issued_to: nullable(text),
  issued_by: nullable(text),
  issued_at: nullable(number),
}

/**
 * Tags and metadata fields of users. Maintained by the triggers in `engine/labels.ts`. Nothing else writes
 * this table.
 */
const userLabels = {
  project_id: text,
  /** `#` followed by a tag, or `.name=value` for a metadata field. */
  label: text,
  user_seq: number,
}

export const labelTables = { user_labels: userLabels }
