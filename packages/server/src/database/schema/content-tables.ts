/** The tables of what a project tells its running scripts. */
import { nullable, number, seq, type TableOf, text, textOf } from './columns.ts'

/** The remote variables of a project; one that never had any has no row. */
const projectVariables = {
  project_id: text,
  /** Counted from 1, with each change. */
  version: number,
  /** JSON: a list of `{ name, value, scripts, plans }`. */
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
  /** When it ends. */
  until: number,
  /** JSON: ids of the scripts that it is for; null for all. */
  scripts: nullable(text),
  created_at: number,
}
export type AnnouncementsTable = TableOf<typeof announcements>

/** Parents before children. */
export const contentTables = {
  project_variables: projectVariables,
  announcements,
}
