/** Tables for bans, and for the networks where keys are used. */
import { nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/** Devices, networks and Discord accounts blocked by a project. */
const bans = {
  seq,
  id: text,
  project_id: text,
  kind: textOf<'device' | 'network' | 'chat'>(),
  /** Human-readable form: a masked fingerprint, a network, or a Discord user ID. */
  value: text,
  /** The user that the ban was created from, who may have been deleted. */
  user_key: nullable(text),
  reason: nullable(text),
  expires: nullable(number),
  created_at: number,
}
export type BansTable = TableOf<typeof bans>

/**
 * Values that executions are matched against: one per strong component for a device ban, and a single one for
 * any other ban.
 */
const banNames = {
  project_id: text,
  name: text,
  /** `seq` of the ban. */
  ban: number,
}

/** The networks where keys were used within the last 30 days, and how many of them within 7 days. */
const userNetworks = {
  user_seq: number,
  project_id: text,
  /** Digits of the last execution's /24 or /48 network. */
  network: nullable(text),
  /** Counts maintained from `user_network_marks`. */
  networks: withDefault(number),
  refused_devices: withDefault(number),
  /** Rounded to the day. */
  seen_at: number,
  /** When the project's webhooks were last notified that the key is shared. */
  reported_at: nullable(number),
}
export type UserNetworksTable = TableOf<typeof userNetworks>

/** One row per network where a key was used, and per device where a key was denied, within 7 days. */
const userNetworkMarks = {
  user_seq: number,
  kind: textOf<'network' | 'device'>(),
  /** Hex; salted per key, so that networks and devices cannot be recovered and keys cannot be compared. */
  hash: text,
  /** Rounded to the day. */
  seen_at: number,
}
export type UserNetworkMarksTable = TableOf<typeof userNetworkMarks>

export const banTables = {
  bans,
  ban_names: banNames,
  user_networks: userNetworks,
  user_network_marks: userNetworkMarks,
}
