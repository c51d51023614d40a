/**
 * What the browser of somebody who looks at his key keeps for us: the key itself, sealed, because it may stand in no
 * address and in no table, and what came of the last thing that he asked for.
 */
import type { Deps } from '../deps.ts'
import { openText, SEAL_NONCE_BYTES, sealText } from './sealing.ts'

export type OwnVisit<Notice extends string> = {
  readonly key: string
  readonly since: number
  readonly notice: Notice | undefined
}

/** From the moment in which the key was given. */
export const VISIT_MS = 30 * 60_000

const PURPOSE = 'key of a visit'

export function sealVisit(deps: Deps, visit: OwnVisit<string>): string {
  const nonce = deps.random(SEAL_NONCE_BYTES)
  return sealText(deps.protocol.keyring.pageKey, PURPOSE, JSON.stringify(visit), nonce).toString('base64url')
}

/** Undefined for what this service did not seal, and for what is over. */
export function openVisit<Notice extends string>(
  deps: Deps,
  sealed: string | undefined,
): OwnVisit<Notice> | undefined {
  if (sealed === undefined) return undefined
  try {
    const text = openText(deps.protocol.keyring.pageKey, PURPOSE, Buffer.from(sealed, 'base64url'))
    const visit: OwnVisit<Notice> = JSON.parse(text)
    return deps.now() < visit.since + VISIT_MS ? visit : undefined
  } catch {
    return undefined
  }
}
