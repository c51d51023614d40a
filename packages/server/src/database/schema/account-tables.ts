/** Tables for accounts: service tiers, accounts, API keys and reserved obfuscations. */
import { bytes, flag, nullable, number, seq, type TableOf, text, withDefault } from './columns.ts'

/** A limit of -1 means unlimited. */
const tiers = {
  id: number,
  name: text,
  max_users: number,
  max_projects: number,
  max_scripts: number,
  free_for_all: number,
  obfuscations: number,
  price: number,
  max_ad_users: number,
  max_checkpoints: number,
  max_systems: number,
  /** Server code calls per minute per run. */
  max_calls: withDefault(number),
  /** Retention of the execution log in days. */
  log_days: withDefault(number),
}
export type TiersTable = TableOf<typeof tiers>

const customers = {
  seq,
  id: text,
  /** SHA-256 hash of the API key, in hex. The key itself is not stored. */
  api_key_hash: text,
  /** The first eight characters, so that owners can recognize their key. */
  api_key_start: text,
  email: text,
  chat_id: nullable(text),
  tier: number,
  plan_expires: number,
  created_at: number,
  obfuscations_used: withDefault(number),
  /** The month that `obfuscations_used` applies to, as year * 12 + month in UTC. */
  obfuscations_month: withDefault(number),
  bonus_obfuscations_left: withDefault(number),
  admin: withDefault(flag),
  verified: withDefault(flag),
  blacklisted: withDefault(flag),
  blacklist_reason: nullable(text),
  blacklist_expires: nullable(number),
  total_executions: withDefault(number),
  /** Hash of the previous API key, which works during the grace period. */
  previous_api_key_hash: nullable(text),
  previous_api_key_until: nullable(number),
  /** Whether the API key may be passed in the path, and when it was last passed there. */
  allow_path_key: withDefault(flag),
  path_key_used_at: nullable(number),
}
export type CustomersTable = TableOf<typeof customers>

/** New API keys waiting to be mailed to their owners, at most one per account. */
const waitingApiKeys = {
  customer_id: text,
  api_key_hash: text,
  /** The key itself, encrypted. */
  sealed: bytes,
  created_at: number,
  /** When the next attempt to send the email is due. */
  mail_at: number,
  attempts: withDefault(number),
}
export type WaitingApiKeysTable = TableOf<typeof waitingApiKeys>

/** Obfuscations in progress, which count toward the limit although they have no version yet. */
const obfuscationReservations = {
  id: text,
  customer_id: text,
  /** As in `obfuscations_month`. */
  month: number,
  from_bonus: flag,
  reserved_at: number,
}
export type ObfuscationReservationsTable = TableOf<typeof obfuscationReservations>

export const accountTables = {
  tiers,
  customers,
  waiting_api_keys: waitingApiKeys,
  obfuscation_reservations: obfuscationReservations,
}
