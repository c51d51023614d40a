/** Tables of bans, and of where keys are used. */
import { nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/** What a project lets nobody run with: devices, networks, chat accounts. */
const bans = {
  seq,
  id: text,
  project_id: text,
  kind: textOf<'device' | 'network' | 'chat'>(),
  /** As people read it: a masked fingerprint, a network, a chat id. */
  value: text,
  /** Of the user from whom it was taken, who may be deleted by now. */
  user_key: nullable(text),
  reason: nullable(text),
  expires: nullable(number),
  created_at: number,
}
export type BansTable = TableOf<typeof bans>

/** What executions are compared with: a ban of a device has a name for each of its strong components, others have one. */
const banNames = {
  project_id: text,
  name: text,
  /** `seq` of the ban. */
  ban: number,
}

/** Where keys were used within the last thirty days, and in how many networks within seven. */
const userNetworks = {
  user_seq: number,
  project_id: text,
  /** Of the last execution: the digits of its /24 or /48. */
  network: nullable(text),
  /** Counts of `user_network_marks`. */
  networks: withDefault(number),
  refused_devices: withDefault(number),
  /** To the day. */
  seen_at: number,
  /** When the project's webhooks last learned that the key is shared. */
  reported_at: nullable(number),
}
export type UserNetworksTable = TableOf<typeof userNetworks>

/** One for each network that a key was used in and each device that it was refused on, within seven days. */
const userNetworkMarks = {
  user_seq: number,
  kind: textOf<'network' | 'device'>(),
  /** Hex; salted for the key, so that neither network nor device can be recovered, nor two keys compared. */
  hash: text,
  /** To the day. */
  seen_at: number,
}
export type UserNetworkMarksTable = TableOf<typeof userNetworkMarks>

export const banTables = {
  bans,
  ban_names: banNames,
  user_networks: userNetworks,
  user_network_marks: userNetworkMarks,
}
