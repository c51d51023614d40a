/** Links, tickets and challenges that count once: the secret goes out, and its hash waits in the database. */
import type { Config } from '../../config/config.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { hashCredential } from './credential.ts'
import {
  findSingleUse,
  insertSingleUse,
  type Purpose,
  type SingleUseRow,
  takeSingleUse,
} from './store/single-uses.ts'

const SECRET_BYTES = 32

/** Links that are sent or printed, and tickets between two steps of one sign-in. */
export const LINK_MS = 30 * 60_000
export const TICKET_MS = 10 * 60_000

export type NewUse = {
  readonly purpose: Purpose
  readonly personId?: string | null
  readonly customerId?: string | null
  /** What the purpose needs besides; it goes to the database as JSON. */
  readonly data?: object
  readonly forMs: number
}

/** The secret: 256 random bits in base64url. */
export async function issueOnce(
  { now, random }: Pick<Deps, 'now' | 'random'>,
  tx: Queries,
  { purpose, personId = null, customerId = null, data, forMs }: NewUse,
): Promise<string> {
  const secret = random(SECRET_BYTES).toString('base64url')
  const at = now()
  await insertSingleUse(tx, {
    hash: hashCredential(secret),
    purpose,
    person_id: personId,
    customer_id: customerId,
    data: data === undefined ? null : JSON.stringify(data),
    created_at: at,
    expires_at: at + forMs,
  })
  return secret
}

/** Undefined for a secret that is unknown, used, over or for something else. It can still be used. */
export function lookAtOnce(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  secret: string,
  purposes: readonly Purpose[],
): Promise<SingleUseRow | undefined> {
  return findSingleUse(db.read, { hash: hashCredential(secret), purposes, now: now() })
}

/** The same, and uses it up with the transaction. */
export function takeOnce(
  { now }: Pick<Deps, 'now'>,
  tx: Queries,
  secret: string,
  purposes: readonly Purpose[],
): Promise<SingleUseRow | undefined> {
  return takeSingleUse(tx, { hash: hashCredential(secret), purposes, now: now() })
}

export type LinkKind = 'set-up' | 'reset' | 'invitation' | 'confirm' | 'objection'

/** Behind `#`, so that no server and no referrer sees the secret. */
export function linkFor(
  { baseUrl, host, port }: Pick<Config, 'baseUrl' | 'host' | 'port'>,
  kind: LinkKind,
  secret: string,
): string {
  return `${baseUrl ?? `http://${HERE.test(host) ? 'localhost' : host}:${port}`}/dashboard/#/${kind}/${secret}`
}

/** Browsers offer passkeys on `localhost`, and not on an address. */
const HERE = /^(127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?)$/
