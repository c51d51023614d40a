/** Versions, and tables that depend on scripts and versions: activations, line maps, messages, functions. */
import { bytes, flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

const scriptVersions = {
  seq,
  script_id: text,
  version: number,
  preset: text,
  created_at: number,
  /** The author's source, encrypted. */
  source: bytes,
  /** Encrypted JSON: the path of `source`, and the other files by path. Null for single-file scripts. */
  files: nullable(bytes),
  /** Size of the source, or of all files, before encryption. */
  source_bytes: number,
  /** The protected code as one raw LZ4 block. */
  payload: bytes,
  /** Size of the protected code in bytes before LZ4. */
  payload_size: number,
  /** JSON: watermark slots, as positions in the protected code. */
  slots: withDefault(text),
  /** JSON: server-locked strings, as positions in the protected code. */
  locks: withDefault(text),
  /** The protected code's data as one raw LZ4 block. Null if the code is not split. */
  data: nullable(bytes),
  /** Size of the data in bytes before LZ4, and its position in the protected code. */
  data_size: nullable(number),
  data_at: nullable(number),
  /** The protected code without its data, packed for loaders. Null if loaders don't include it. */
  interpreter: nullable(text),
  /** JSON: the options used for the build, by ID. */
  options: withDefault(text),
  /** The author's smoke test, which the build had to pass, encrypted. */
  test_script: nullable(bytes),
  /** Key for the version's locks, encrypted. Null if the version has no locks. */
  service_key: nullable(bytes),
  /** Encrypted JSON: messages that the version sends to chat channels. Null if there are none. */
  messages: nullable(bytes),
  /** JSON report of the build. */
  report: text,
  duration_ms: number,
  /** The author's release notes. Null if there are none. */
  notes: nullable(text),
  /** Whether customers see the notes on their page. */
  notes_public: withDefault(flag),
  /** Display name of the user, token or API key that uploaded the version. Null if unknown. */
  author: nullable(text),
  /** When the version was yanked. Null if it can be activated. */
  yanked_at: nullable(number),
}
export type ScriptVersionsTable = TableOf<typeof scriptVersions>

/** One row per change to the active version, whether by upload or rollback. */
const scriptActivations = {
  script_id: text,
  activated_at: number,
  version: number,
}
export type ScriptActivationsTable = TableOf<typeof scriptActivations>

/** Versions built before line maps existed have no row. */
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
 * that were moved to the server by a build.
 */
const serverFunctions = {
  script_id: text,
  version: withDefault(number),
  /** Name that scripts use to call a server function. Unique within a version. */
  name: text,
  /** Number that scripts use to call moved code, starting at 1. Null for server functions. */
  number: nullable(number),
  kind: withDefault(textOf<'function' | 'table'>()),
  /** Position in the author's source, as in `line 12 of lib/a.lua`. Null for server functions. */
  place: nullable(text),
  /** Encrypted: Luau, or JSON for moved code. */
  source: bytes,
  source_bytes: number,
  created_at: number,
  updated_at: number,
  calls: withDefault(number),
  failures: withDefault(number),
  /** CPU time of all calls in milliseconds. */
  cpu_ms: withDefault(number),
  last_problem: nullable(text),
  last_failed_at: nullable(number),
  /** When the owner was last notified of a failure. */
  reported_at: nullable(number),
}
export type ServerFunctionsTable = TableOf<typeof serverFunctions>

export const versionTables = {
  line_maps: lineMaps,
  script_versions: scriptVersions,
  script_activations: scriptActivations,
  script_messages: scriptMessages,
  server_functions: serverFunctions,
}
