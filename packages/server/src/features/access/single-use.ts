/**
 * Single-use links, pending-login tokens and challenges. The secret is sent to the user, and only its hash is
 * stored.
 */
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

/** Lifetime of pending-login tokens, and of links that are emailed or printed. */
export const LINK_MS = 30 * 60_000
export const TICKET_MS = 10 * 60_000

export type NewUse = {
  readonly purpose: Purpose
  readonly personId?: string | null
  readonly customerId?: string | null
  /** Purpose-specific data, stored as JSON. */
  readonly data?: object
  readonly forMs: number
}

/** Returns the secret: 256 random bits in base64url. */
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

/**
 * Looks up a secret without invalidating it. Returns undefined if the secret is unknown, used, expired or
 * intended for another purpose.
 */
export function lookAtOnce(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  secret: string,
  purposes: readonly Purpose[],
): Promise<SingleUseRow | undefined> {
  return findSingleUse(db.read, { hash: hashCredential(secret), purposes, now: now() })
}

/** Like `lookAtOnce`, but invalidates the secret when the transaction commits. */
export function takeOnce(
  { now }: Pick<Deps, 'now'>,
  tx: Queries,
  secret: string,
  purposes: readonly Purpose[],
): Promise<SingleUseRow | undefined> {
  return takeSingleUse(tx, { hash: hashCredential(secret), purposes, now: now() })
}

export type LinkKind = 'set-up' | 'reset' | 'invitation' | 'confirm' | 'objection'

/** The secret follows `#`, so it is never sent to a server or in a `Referer` header. */
export function linkFor(
  config: Pick<Config, 'baseUrl' | 'host' | 'port'>,
  kind: LinkKind,
  secret: string,
): string {
  return `${originFor(config)}/dashboard/#/${kind}/${secret}`
}

/** The configured base URL, or a URL that works on this machine. */
export function originFor({ baseUrl, host, port }: Pick<Config, 'baseUrl' | 'host' | 'port'>): string {
  return baseUrl ?? `http://${HERE.test(host) ? 'localhost' : host}:${port}`
}

/** Browsers offer passkeys on `localhost` but not on an IP address. */
const HERE = /^(127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?)$/
