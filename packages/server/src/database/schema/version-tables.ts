/** Tables that depend on scripts and versions, which are in `tables.ts`: activations, line maps, messages, functions. */
import { bytes, nullable, number, type TableOf, text, textOf, withDefault } from './columns.ts'

/** One row per change of the active version, by upload or rollback. */
const scriptActivations = {
  script_id: text,
  activated_at: number,
  version: number,
}
export type ScriptActivationsTable = TableOf<typeof scriptActivations>

/** Versions built before line maps existed have none. */
const lineMaps = {
  script_id: text,
  version: number,
  /** A line table as JSON, deflated and encrypted. */
  map: bytes,
}
export type LineMapsTable = TableOf<typeof lineMaps>

/** Counts messages to chat channels by outcome. */
const scriptMessages = {
  script_id: text,
  outcome: textOf<'sent' | 'rate_limited' | 'wrong_value' | 'too_long' | 'no_address'>(),
  count: number,
  last_at: number,
}
export type ScriptMessagesTable = TableOf<typeof scriptMessages>

/**
 * Code that the server runs for scripts: server functions, whose `version` is 0, and functions and tables
 * that a build moved to the server.
 */
const serverFunctions = {
  script_id: text,
  version: withDefault(number),
  /** Unique within a version. Scripts call server functions by it. */
  name: text,
  /** Scripts call moved code by it, counted from 1; null for server functions. */
  number: nullable(number),
  kind: withDefault(textOf<'function' | 'table'>()),
  /** Position in the author's source, as in `line 12 of lib/a.lua`; null for server functions. */
  place: nullable(text),
  /** Encrypted: Luau, or JSON for what was moved. */
  source: bytes,
  source_bytes: number,
  created_at: number,
  updated_at: number,
  calls: withDefault(number),
  failures: withDefault(number),
  /** Processor time of all calls in milliseconds. */
  cpu_ms: withDefault(number),
  last_problem: nullable(text),
  last_failed_at: nullable(number),
  /** When the owner was last notified of a failure. */
  reported_at: nullable(number),
}
export type ServerFunctionsTable = TableOf<typeof serverFunctions>

export const versionTables = {
  line_maps: lineMaps,
  script_activations: scriptActivations,
  script_messages: scriptMessages,
  server_functions: serverFunctions,
}
