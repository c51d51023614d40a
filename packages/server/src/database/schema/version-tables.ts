/** What hangs on scripts and their versions, which are in `tables.ts`: activations, line maps, messages, functions. */
import { bytes, nullable, number, type TableOf, text, textOf, withDefault } from './columns.ts'

/** A row for each change of the active version: an upload, or an older one that was chosen again. */
const scriptActivations = {
  script_id: text,
  activated_at: number,
  version: number,
}
export type ScriptActivationsTable = TableOf<typeof scriptActivations>

/** Versions that were built before there were line maps have none. */
const lineMaps = {
  script_id: text,
  version: number,
  /** JSON of a line table, deflated and encrypted. */
  map: bytes,
}
export type LineMapsTable = TableOf<typeof lineMaps>

/** How many messages to chat channels came to which end. */
const scriptMessages = {
  script_id: text,
  outcome: textOf<'sent' | 'rate_limited' | 'wrong_value' | 'too_long' | 'no_address'>(),
  count: number,
  last_at: number,
}
export type ScriptMessagesTable = TableOf<typeof scriptMessages>

/** Functions of authors that scripts ask the service to run. */
const serverFunctions = {
  script_id: text,
  name: text,
  /** Luau, encrypted. */
  source: bytes,
  source_bytes: number,
  created_at: number,
  updated_at: number,
  calls: withDefault(number),
  failures: withDefault(number),
  last_problem: nullable(text),
  last_failed_at: nullable(number),
  /** When its owner last heard of a failure. */
  reported_at: nullable(number),
}
export type ServerFunctionsTable = TableOf<typeof serverFunctions>

export const versionTables = {
  line_maps: lineMaps,
  script_activations: scriptActivations,
  script_messages: scriptMessages,
  server_functions: serverFunctions,
}
