/**
 * The state of a self-service visit, encrypted in a cookie. It contains the key, which must not appear in any
 * URL or table, and the result of the last action. A closed visit stays closed, even if its cookie was
 * copied.
 */
import { hash } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { findAdUsedToken, insertAdUsedToken } from '../ads/store/ad-used-tokens.ts'

export type OwnVisit<Notice extends string> = {
  /** Identifies the visit, so that it can be marked as closed. */
  readonly id: string
  readonly key: string
  /** ID of the project that the key belongs to. */
  readonly project: string
  readonly since: number
  readonly notice: Notice | undefined
}

/** Lifetime of a visit, counted from when the key is entered. */
export const VISIT_MS = 30 * 60_000
const ID_BYTES = 12

export function newVisit(
  deps: Deps,
  { key, project }: Pick<OwnVisit<never>, 'key' | 'project'>,
): OwnVisit<never> {
  const id = deps.random(ID_BYTES).toString('base64url')
  return { id, key, project, since: deps.now(), notice: undefined }
}

export function sealVisit(deps: Deps, visit: OwnVisit<string>): string {
  return deps.secrets.seal('ownVisit', '', JSON.stringify(visit)).toString('base64url')
}

/** Returns undefined if this server didn't encrypt the cookie, or if the visit is expired or closed. */
export async function openVisit<Notice extends string>(
  deps: Deps,
  sealed: string | undefined,
): Promise<OwnVisit<Notice> | undefined> {
  const visit = unseal<Notice>(deps, sealed)
  if (visit === undefined) return undefined
  return (await findAdUsedToken(deps.db.readPoint, closedMark(visit))) === null ? visit : undefined
}

/** Does nothing if the visit has already ended. */
export async function closeVisit(deps: Deps, sealed: string | undefined): Promise<void> {
  const visit = unseal(deps, sealed)
  if (visit === undefined) return
  const row = { hash: closedMark(visit), used_at: deps.now() }
  await deps.db.transaction((tx) => insertAdUsedToken(tx, row))
}

function unseal<Notice extends string>(deps: Deps, sealed: string | undefined): OwnVisit<Notice> | undefined {
  if (sealed === undefined) return undefined
  try {
    const text = deps.secrets.openText('ownVisit', '', Buffer.from(sealed, 'base64url'))
    const visit: OwnVisit<Notice> = JSON.parse(text)
    return deps.now() < visit.since + VISIT_MS ? visit : undefined
  } catch {
    return undefined
  }
}

function closedMark({ id }: OwnVisit<string>): string {
  return hash('sha256', `closed visit\0${id}`, 'hex')
}
