/** What is stored of one user's executions and device, as their owner may see it. */
import type { Deps } from '../../deps.ts'
import { listUserMarks, type UserMark } from '../../store/tables/execution-marks.ts'
import { listUserFingerprints } from '../../store/tables/user-fingerprints.ts'
import type { UserRow } from '../../store/tables/users.ts'
import { readPage } from '../pagination.ts'
import { Refused } from '../refusals.ts'
import { maskHash, STRENGTHS } from './devices.ts'
import { type Display, readDisplay } from './fingerprints.ts'

const LISTED = 100
const EXECUTIONS = { name: 'execution', numberOf: ({ seq }: UserMark) => seq }

/** Those that were sent a watermarked copy: of others nothing is kept. Newest first. */
export async function listUserExecutions(
  { db }: Deps,
  user: UserRow,
  { after, limit = LISTED }: { readonly after?: string; readonly limit?: number },
) {
  const query = { limit, order: 'newest', ...(after === undefined ? {} : { after }) } as const
  const found = await readPage(EXECUTIONS, query, (range) => listUserMarks(db.read, user, range))
  if (found instanceof Refused) return found
  return { executions: found.rows.map(({ seq: _, ...execution }) => execution), next: found.next }
}

/** Null while none is bound. Components are masked as everything that is shown of a device. */
export async function describeDevice({ db }: Deps, user: UserRow) {
  if (user.fingerprint_assigned === 0) return null
  const stored = await listUserFingerprints(db.read, user)
  const shown: Display = readDisplay(user)
  return {
    ip: shown.ip ?? null,
    executor: shown.executor ?? null,
    components: stored.map(({ component, strength, hash }) => ({
      component,
      strength: nameOf(strength),
      hash: maskHash(hash),
    })),
  }
}

type StrengthName = keyof typeof STRENGTHS

function nameOf(strength: number): StrengthName {
  const names = Object.keys(STRENGTHS) as StrengthName[]
  return names.find((name) => STRENGTHS[name] === strength) ?? 'weak'
}
