/**
 * Records the last use of a token, a session, or a path that contains an API key. Each record costs a write,
 * so at most one record is written per interval.
 */

import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { networkOf } from '../../platform/limits/networks.ts'
import { type CustomerRow, updatePathKeyUse } from '../accounts/store/customers.ts'
import { updateSignInUse } from '../people/store/sign-ins.ts'
import type { Identified } from './callers.ts'
import { updateTokenUse } from './store/tokens.ts'

const EVERY_MS = 60_000
const PATH_KEY_EVERY_MS = 3_600_000

/** Failing to record the use must not fail the request. */
export async function markUse(deps: Deps, identified: Identified, address: string): Promise<void> {
  const { token, signedIn } = identified
  const at = deps.now()
  const use = { at, network: networkOf(address), before: at - EVERY_MS }
  if (token && (token.last_used_at ?? 0) <= use.before)
    await write(deps, (tx) => updateTokenUse(tx, token.id, use))
  const signIn = signedIn?.signIn
  if (signIn && signIn.last_used_at <= use.before)
    await write(deps, (tx) => updateSignInUse(tx, signIn.id, use))
}

export async function markPathKey(deps: Deps, { id, path_key_used_at }: CustomerRow): Promise<void> {
  const at = deps.now()
  const before = at - PATH_KEY_EVERY_MS
  if ((path_key_used_at ?? 0) <= before) await write(deps, (tx) => updatePathKeyUse(tx, id, { at, before }))
}

async function write({ db }: Deps, mark: (tx: Queries) => Promise<void>): Promise<void> {
  await db.transaction(mark).catch(() => {})
}
