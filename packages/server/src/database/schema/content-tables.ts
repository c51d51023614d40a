/** Tables for the content that projects send to running scripts, and for data that only project teams see. */
import { nullable, number, seq, type TableOf, text, textOf } from './columns.ts'

/** The remote variables of a project. A project that never had variables has no row. */
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
  /** JSON: the license keys that receive the announcement; null for everyone. */
  keys: nullable(text),
  /** Number of these keys. Null for everyone. */
  users: nullable(number),
  created_at: number,
}
export type AnnouncementsTable = TableOf<typeof announcements>

/** The saved views of a project's lists. */
const savedViews = {
  project_id: text,
  /** ID of the dashboard user. Empty for the views shared by the account's API key and tokens. */
  owner: text,
  /** JSON: an array of views. */
  data: text,
  updated_at: number,
}
export type SavedViewsTable = TableOf<typeof savedViews>

/** Traced copies, without their code. */
const traces = {
  seq,
  id: text,
  project_id: text,
  script_id: text,
  actor_kind: textOf<'api_key' | 'token' | 'person' | 'command_line' | 'chat' | 'job'>(),
  actor_id: nullable(text),
  actor_name: text,
  /** Size of the copy in UTF-8 bytes. */
  bytes: number,
  sha256: text,
  /** JSON: the first users found, shown in lists. */
  summary: text,
  /** JSON: the entire result. */
  result: text,
  created_at: number,
}
export type TracesTable = TableOf<typeof traces>

/** Parent tables come before their children. */
export const contentTables = {
  project_variables: projectVariables,
  announcements,
  saved_views: savedViews,
  traces,
}
