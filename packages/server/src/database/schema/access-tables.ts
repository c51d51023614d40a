/** The tables of people, tokens and the audit log. Like `tables.ts`. */
import { bytes, flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/** People who sign in. */
const people = {
  seq,
  id: text,
  /** In lower case. */
  email: text,
  name: text,
  /** BCP 47; null for none. */
  language: nullable(text),
  /** PHC string of argon2id; null for people who have passkeys only. */
  password_hash: nullable(text),
  /** Secret of the authenticator app, encrypted; null without a second factor. */
  totp_secret: nullable(bytes),
  /** The last accepted time step: each code counts once. */
  totp_step: withDefault(number),
  /** By an operator: they cannot sign in. */
  disabled: withDefault(flag),
  created_at: number,
  last_sign_in_at: nullable(number),
}
export type PeopleTable = TableOf<typeof people>

const passkeys = {
  seq,
  id: text,
  person_id: text,
  /** As WebAuthn names it, in base64url. */
  credential_id: text,
  public_key: bytes,
  counter: number,
  /** JSON: a list of texts. */
  transports: text,
  name: text,
  created_at: number,
  last_used_at: nullable(number),
}
export type PasskeysTable = TableOf<typeof passkeys>

/** SHA-256 in hex of codes that replace a second factor once; a used one has no row. */
const recoveryCodes = { person_id: text, hash: text }

const members = {
  seq,
  id: text,
  customer_id: text,
  person_id: text,
  /** A name of `features/access/roles.ts`. */
  role: text,
  /** JSON: a list of scopes, for the role `custom`; else an empty list. */
  scopes: withDefault(text),
  /** JSON: a list of ids; null for all projects. */
  projects: nullable(text),
  /** Of a reseller: how many users they may have issued at once. */
  max_keys: nullable(number),
  created_at: number,
  /** Of an owner who objected to their removal: until then no one else lowers or removes them. */
  protected_until: nullable(number),
}
export type MembersTable = TableOf<typeof members>

/** Waiting ones; an accepted or withdrawn one has no row. */
const invitations = {
  seq,
  id: text,
  customer_id: text,
  /** In lower case. */
  email: text,
  role: text,
  scopes: withDefault(text),
  projects: nullable(text),
  max_keys: nullable(number),
  /** SHA-256 in hex of what the link carries. */
  hash: text,
  invited_by: text,
  created_at: number,
  expires_at: number,
}
export type InvitationsTable = TableOf<typeof invitations>

/** Credentials of software. A revoked one has no row. */
const tokens = {
  seq,
  id: text,
  customer_id: text,
  name: text,
  /** SHA-256 in hex. */
  hash: text,
  /** The first characters, so that owners recognise it. */
  start: text,
  /** Of the secret before the last rotation, which works until then. */
  previous_hash: nullable(text),
  previous_until: nullable(number),
  /** JSON: a list of scopes. */
  scopes: text,
  /** JSON: a list of ids; null for all projects. */
  projects: nullable(text),
  /** JSON: a list of addresses and CIDR blocks; null for all. */
  networks: nullable(text),
  expires_at: nullable(number),
  created_at: number,
  /** The person who made it; null for an API key. */
  created_by: nullable(text),
  last_used_at: nullable(number),
  last_used_network: nullable(text),
}
export type TokensTable = TableOf<typeof tokens>

/** Browsers in which a person is signed in. An ended one has no row. */
const signIns = {
  seq,
  id: text,
  /** SHA-256 in hex of the cookie. */
  hash: text,
  person_id: text,
  /** The account that they look at; null for people without one. */
  customer_id: nullable(text),
  created_at: number,
  /** When they last signed in or confirmed this sign-in. */
  proved_at: number,
  last_used_at: number,
  network: text,
  /** As the browser names itself, shortened. */
  browser: text,
}
export type SignInsTable = TableOf<typeof signIns>

/** Browsers that signed in before: wrong tries from elsewhere do not lock them out. */
const knownBrowsers = { person_id: text, hash: text, last_used_at: number }
export type KnownBrowsersTable = TableOf<typeof knownBrowsers>

/** Links and challenges that count once and for some minutes. A used one has no row. */
const singleUses = {
  /** SHA-256 in hex of the secret. */
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
  >(),
  person_id: nullable(text),
  customer_id: nullable(text),
  /** JSON: what the purpose needs besides. */
  data: nullable(text),
  /** Of a ticket that a few wrong codes may be tried with. */
  tries: withDefault(number),
  created_at: number,
  expires_at: number,
}
export type SingleUsesTable = TableOf<typeof singleUses>

/** Mails that wait for a mail server to take them. A sent one has no row. */
const waitingMails = {
  seq,
  id: text,
  /** Recipient, subject and text as JSON, encrypted: they may hold a link. */
  sealed: bytes,
  created_at: number,
  /** When the next attempt is due. */
  mail_at: number,
  attempts: withDefault(number),
}
export type WaitingMailsTable = TableOf<typeof waitingMails>

/** The audit log: one row for each change, written in its transaction. */
const auditEntries = {
  seq,
  id: text,
  /** Empty for what concerns the service as a whole. */
  customer_id: text,
  created_at: number,
  actor_kind: textOf<'api_key' | 'token' | 'person' | 'command_line' | 'job'>(),
  actor_id: nullable(text),
  actor_name: text,
  network: nullable(text),
  request_id: text,
  action: text,
  /** JSON: ids by name. */
  nouns: text,
  /** JSON: member → `{ before, after }`. */
  changes: text,
  /** Rows that a bulk change touched; part of the seal and not of the hash, because it may be known only later. */
  count: nullable(number),
  /** Place in the hash chain of the account, and the hash; null until the job that chains has come by. */
  n: nullable(number),
  hash: nullable(text),
  /** Keyed hash of the entry, made when it is written; null of entries from before there were seals. */
  seal: nullable(text),
}
export type AuditEntriesTable = TableOf<typeof auditEntries>

/** Ids that an entry names, so that the entries about a noun are found by it. Written when the entry is chained. */
const auditNouns = { customer_id: text, noun: text, created_at: number, seq: number }

/** The two ends of the hash chain of an account: what pruning cut off, and the last entry. */
const auditChains = {
  customer_id: text,
  cut_n: number,
  cut_hash: text,
  head_n: number,
  head_hash: text,
  /** Up to this place, the hashes of the entries have no key. */
  plain_n: withDefault(number),
  /** Keyed hash of this row. */
  seal: nullable(text),
}
export type AuditChainsTable = TableOf<typeof auditChains>

/** One row: how many chains there are, and how many entries were ever chained. */
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
