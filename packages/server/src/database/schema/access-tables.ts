/** Tables for dashboard users, tokens and the audit log. */
import { bytes, flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/** Dashboard users. */
const people = {
  seq,
  id: text,
  /** Stored in lower case. */
  email: text,
  name: text,
  /** BCP 47 language tag. Null if none is set. */
  language: nullable(text),
  /** argon2id hash as a PHC string. Null for users who have only passkeys. */
  password_hash: nullable(text),
  /** Encrypted TOTP secret. Null without two-factor authentication. */
  totp_secret: nullable(bytes),
  /** The last accepted time step, so that each code works only once. */
  totp_step: withDefault(number),
  /** Set by an operator; prevents signing in. */
  disabled: withDefault(flag),
  created_at: number,
  last_sign_in_at: nullable(number),
}
export type PeopleTable = TableOf<typeof people>

const passkeys = {
  seq,
  id: text,
  person_id: text,
  /** WebAuthn credential ID in base64url. */
  credential_id: text,
  public_key: bytes,
  counter: number,
  /** JSON: an array of strings. */
  transports: text,
  name: text,
  created_at: number,
  last_used_at: nullable(number),
}
export type PasskeysTable = TableOf<typeof passkeys>

/** SHA-256 hashes of single-use backup codes, in hex. A used code's row is deleted. */
const recoveryCodes = { person_id: text, hash: text }

const members = {
  seq,
  id: text,
  customer_id: text,
  person_id: text,
  /** A role name from `features/access/roles.ts`. */
  role: text,
  /** JSON: an array of scopes for the `custom` role, otherwise empty. */
  scopes: withDefault(text),
  /** JSON: an array of project IDs; null for all projects. */
  projects: nullable(text),
  /** For resellers: the maximum number of issued users at any time. */
  max_keys: nullable(number),
  created_at: number,
  /** Set when an owner objects to their removal. Until this time, no one else can demote or remove them. */
  protected_until: nullable(number),
}
export type MembersTable = TableOf<typeof members>

/** Pending invitations. Accepted or withdrawn ones are deleted. */
const invitations = {
  seq,
  id: text,
  customer_id: text,
  /** Stored in lower case. */
  email: text,
  role: text,
  scopes: withDefault(text),
  projects: nullable(text),
  max_keys: nullable(number),
  /** SHA-256 hash of the secret in the link, in hex. */
  hash: text,
  invited_by: text,
  created_at: number,
  expires_at: number,
}
export type InvitationsTable = TableOf<typeof invitations>

/** API tokens. Revoked tokens are deleted. */
const tokens = {
  seq,
  id: text,
  customer_id: text,
  name: text,
  /** SHA-256 hash of the token, in hex. */
  hash: text,
  /** The first characters, so that owners can recognize the token. */
  start: text,
  /** Hash of the secret before the last rotation, which works during the grace period. */
  previous_hash: nullable(text),
  previous_until: nullable(number),
  /** JSON: an array of scopes. */
  scopes: text,
  /** JSON: an array of project IDs; null for all projects. */
  projects: nullable(text),
  /** JSON: an array of IP addresses and CIDR blocks; null for all. */
  networks: nullable(text),
  expires_at: nullable(number),
  created_at: number,
  /** The dashboard user who created the token; null for tokens created with an API key. */
  created_by: nullable(text),
  last_used_at: nullable(number),
  last_used_network: nullable(text),
}
export type TokensTable = TableOf<typeof tokens>

/** Dashboard sessions. Ended sessions are deleted. */
const signIns = {
  seq,
  id: text,
  /** SHA-256 hash of the cookie, in hex. */
  hash: text,
  person_id: text,
  /** The selected account. Null for a user without one. */
  customer_id: nullable(text),
  created_at: number,
  /** When the user last signed in or confirmed their identity in this session. */
  proved_at: number,
  last_used_at: number,
  network: text,
  /** Shortened user agent. */
  browser: text,
}
export type SignInsTable = TableOf<typeof signIns>

/**
 * Browsers in which someone has signed in before. Failed attempts from other browsers do not lock out these
 * browsers.
 */
const knownBrowsers = { person_id: text, hash: text, last_used_at: number }
export type KnownBrowsersTable = TableOf<typeof knownBrowsers>

/** Single-use links and challenges that expire within minutes. Used ones are deleted. */
const singleUses = {
  /** SHA-256 hash of the secret, in hex. */
  hash: text,
  purpose: textOf<
    | 'set_up'
    | 'reset'
    | 'sign_up'
    | 'passkey_sign_in'
    | 'passkey_add'
    | 'passkey_set_up'
    | 'totp_add'
    | 'second_factor'
    | 'command_line'
    | 'owner_objection'
    | 'unproved_email'
    | 'backup_download'
    | 'chat_draft'
  >(),
  person_id: nullable(text),
  customer_id: nullable(text),
  /** JSON: additional data for the purpose. */
  data: nullable(text),
  /** Failed attempts with a pending-login token, which allows only a few wrong codes. */
  tries: withDefault(number),
  created_at: number,
  expires_at: number,
}
export type SingleUsesTable = TableOf<typeof singleUses>

/** Outgoing email that no mail server has accepted yet. Sent messages are deleted. */
const waitingMails = {
  seq,
  id: text,
  /** Recipient, subject and body as encrypted JSON, because they may contain a link. */
  sealed: bytes,
  created_at: number,
  /** When the next attempt is due. */
  mail_at: number,
  attempts: withDefault(number),
}
export type WaitingMailsTable = TableOf<typeof waitingMails>

/** The audit log: one row per change, written in the same transaction. */
const auditEntries = {
  seq,
  id: text,
  /** Empty for entries about the entire service. */
  customer_id: text,
  created_at: number,
  actor_kind: textOf<'api_key' | 'token' | 'person' | 'command_line' | 'chat' | 'job'>(),
  actor_id: nullable(text),
  actor_name: text,
  network: nullable(text),
  request_id: text,
  action: text,
  /** JSON: resource IDs by name. */
  nouns: text,
  /** JSON: field → `{ before, after }`. */
  changes: text,
  /**
   * Rows affected by a bulk change. Covered by the MAC but not the hash, because the number may not be known
   * until later.
   */
  count: nullable(number),
  /**
   * Position in the account's hash chain, and the hash. Null until the chaining job has processed the entry.
   */
  n: nullable(number),
  hash: nullable(text),
  /** MAC (keyed hash) of the entry, computed when it is written. */
  seal: text,
}
export type AuditEntriesTable = TableOf<typeof auditEntries>

/**
 * Resource IDs in audit entries, used to find the entries about a resource. Written when the entry is
 * chained.
 */
const auditNouns = { customer_id: text, noun: text, created_at: number, seq: number }

/** Both ends of an account's hash chain: the point where pruning cut it off, and the last entry. */
const auditChains = {
  customer_id: text,
  cut_n: number,
  cut_hash: text,
  head_n: number,
  head_hash: text,
  /** Keyed hash of this row. */
  seal: nullable(text),
}
export type AuditChainsTable = TableOf<typeof auditChains>

/** A single row with the number of chains and the number of entries ever chained. */
const auditRegister = { id: number, chains: number, entries: number, seal: text }
export type AuditRegisterTable = TableOf<typeof auditRegister>

export const accessTables = {
  people,
  passkeys,
  recovery_codes: recoveryCodes,
  members,
  invitations,
  tokens,
  sign_ins: signIns,
  known_browsers: knownBrowsers,
  single_uses: singleUses,
  waiting_mails: waitingMails,
  audit_entries: auditEntries,
  audit_nouns: auditNouns,
  audit_chains: auditChains,
  audit_register: auditRegister,
}
