/** One valid row of every table for dashboard users, tokens and the audit log. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'

/** 2026-01-02T03:04:05.678Z. This value exposes columns that are too small for milliseconds. */
export const AT = 1_767_323_045_678
export const CUSTOMER = 'cus_1'

const person = {
  id: 'psn_1',
  email: 'helper@example.com',
  name: 'Helper',
  created_at: AT,
} satisfies Insertable<Tables['people']>

export const passkey = {
  id: 'pky_1',
  person_id: person.id,
  credential_id: 'credential',
  public_key: Buffer.from([1, 0, 255]),
  counter: 2 ** 32 - 1,
  transports: '["internal"]',
  name: 'Laptop',
  created_at: AT,
} satisfies Insertable<Tables['passkeys']>

const recoveryCode = { person_id: person.id, hash: 'ee' } satisfies Insertable<Tables['recovery_codes']>

const member = {
  id: 'mem_1',
  customer_id: CUSTOMER,
  person_id: person.id,
  role: 'support',
  created_at: AT,
} satisfies Insertable<Tables['members']>

const invitation = {
  id: 'inv_1',
  customer_id: CUSTOMER,
  email: 'invited@example.com',
  role: 'reader',
  hash: 'ff',
  invited_by: 'author@example.com',
  created_at: AT,
  expires_at: AT + 1,
} satisfies Insertable<Tables['invitations']>

const token = {
  id: 'tok_1',
  customer_id: CUSTOMER,
  name: 'CI',
  hash: 'cc',
  start: 'swt_1234',
  scopes: '["scripts:write"]',
  created_at: AT,
} satisfies Insertable<Tables['tokens']>

const signIn = {
  id: 'sgn_1',
  hash: 'dd',
  person_id: person.id,
  customer_id: CUSTOMER,
  created_at: AT,
  proved_at: AT,
  last_used_at: AT,
  network: '203.0.113.0/24',
  browser: 'Firefox on Linux',
} satisfies Insertable<Tables['sign_ins']>

const knownBrowser = {
  person_id: person.id,
  hash: 'ab',
  last_used_at: AT,
} satisfies Insertable<Tables['known_browsers']>

const singleUse = {
  hash: 'ba',
  purpose: 'set_up',
  customer_id: CUSTOMER,
  created_at: AT,
  expires_at: AT + 1,
} satisfies Insertable<Tables['single_uses']>

const waitingMail = {
  id: 'mai_1',
  sealed: Buffer.from([0, 255]),
  created_at: AT,
  mail_at: AT,
} satisfies Insertable<Tables['waiting_mails']>

const auditEntry = {
  id: 'aud_1',
  customer_id: CUSTOMER,
  created_at: AT,
  actor_kind: 'person',
  actor_id: person.id,
  actor_name: person.email,
  request_id: 'request',
  action: 'projects.edit',
  nouns: '{}',
  changes: '{}',
  seal: 'cc',
} satisfies Insertable<Tables['audit_entries']>

const auditNoun = {
  customer_id: CUSTOMER,
  noun: 'prj_1',
  created_at: AT,
  seq: 1,
} satisfies Insertable<Tables['audit_nouns']>

const auditChain = {
  customer_id: CUSTOMER,
  cut_n: 0,
  cut_hash: '',
  head_n: 1,
  head_hash: 'aa',
} satisfies Insertable<Tables['audit_chains']>

const auditRegister = {
  id: 1,
  chains: 1,
  entries: 1,
  seal: 'bb',
} satisfies Insertable<Tables['audit_register']>

const idempotencyKey = {
  customer_id: CUSTOMER,
  key: 'try-1',
  request_hash: 'cd',
  claim: 'claim_1',
  created_at: AT,
} satisfies Insertable<Tables['idempotency_keys']>

export const accessRows = {
  people: person,
  passkeys: passkey,
  recovery_codes: recoveryCode,
  members: member,
  invitations: invitation,
  tokens: token,
  sign_ins: signIn,
  known_browsers: knownBrowser,
  single_uses: singleUse,
  waiting_mails: waitingMail,
  audit_entries: auditEntry,
  audit_nouns: auditNoun,
  audit_chains: auditChain,
  audit_register: auditRegister,
  idempotency_keys: idempotencyKey,
}
