/**
 * What the browser of a self-service visitor remembers for us, sealed in a cookie: the key, which must appear in no address
 * and no table, and the result of the last action.
 */
import type { Deps } from '../../deps.ts'

export type OwnVisit<Notice extends string> = {
  readonly key: string
  /** The id of the project in which the key was found. */
  readonly project: string
  readonly since: number
  readonly notice: Notice | undefined
}

/** From the moment at which the key was entered. */
export const VISIT_MS = 30 * 60_000

export function sealVisit(deps: Deps, visit: OwnVisit<string>): string {
  return deps.secrets.seal('ownVisit', '', JSON.stringify(visit)).toString('base64url')
}

/** Undefined for a cookie that this service did not seal, and for an expired one. */
export function openVisit<Notice extends string>(
  deps: Deps,
  sealed: string | undefined,
): OwnVisit<Notice> | undefined {
  if (sealed === undefined) return undefined
  try {
    const text = deps.secrets.openText('ownVisit', '', Buffer.from(sealed, 'base64url'))
    const visit: OwnVisit<Notice> = JSON.parse(text)
    return deps.now() < visit.since + VISIT_MS ? visit : undefined
  } catch {
    return undefined
  }
}
