/** What authors keep of a key beside its note, and what lists of users are filtered by. */
import { nullable, number, text } from './columns.ts'

/** Of a user. */
export const labelColumns = {
  /** JSON: a list of texts; null for none, as `metadata`. */
  tags: nullable(text),
  /** JSON: an object, the author's. */
  metadata: nullable(text),
  /** JSON: a list of `name=value`, those members of `metadata` that lists are filtered by. */
  metadata_labels: nullable(text),
  /** Never sent to scripts, as the note is. */
  private_note: nullable(text),
  /** To whom the key was handed out, by whom and when. */
  issued_to: nullable(text),
  issued_by: nullable(text),
  issued_at: nullable(number),
}

/** The tags of users, and members of their metadata; kept by the triggers of `engine/labels.ts`, so nothing else writes it. */
const userLabels = {
  project_id: text,
  /** `#` and a tag; or `.` and the name of a member, `=` and its value. */
  label: text,
  user_seq: number,
}

export const labelTables = { user_labels: userLabels }
