/** Tables of the content that a project sends to its running scripts. */
import { nullable, number, seq, type TableOf, text, textOf } from './columns.ts'

/** The remote variables of a project. A project that never had any has no row. */
const projectVariables = {
  project_id: text,
  /** Starts at 1 and increases with each change. */
  version: number,
  /** JSON: an array of `{ name, value, scripts, plans }`. */
  data: text,
  updated_at: number,
}
export type ProjectVariablesTable = TableOf<typeof projectVariables>

const announcements = {
  seq,
  id: text,
  project_id: text,
  text,
  level: textOf<'info' | 'warning' | 'critical'>(),
  /** When the announcement expires. */
  until: number,
  /** JSON: IDs of the target scripts; null for all. */
  scripts: nullable(text),
  /** JSON: the license keys that see the announcement; null for everyone. */
  keys: nullable(text),
  /** Number of these keys; null for everyone. */
  users: nullable(number),
  created_at: number,
}
export type AnnouncementsTable = TableOf<typeof announcements>

/** Parents before children. */
export const contentTables = {
  project_variables: projectVariables,
  announcements,
}
