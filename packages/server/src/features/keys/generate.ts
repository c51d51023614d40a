/** Generates users: either all of them or none. For imports, see `imports/import-users.ts`. */

import { Refused, refuse, refuseCall, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { type Added, type AdditionRefused, addUsers } from '../changes/add-users.ts'
import { formatOf, type KeyDraft, newKey } from '../projects/key-formats.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { maskKey } from '../webhooks/events/chat-text.ts'
import { addEvent, NAMED_KEYS } from '../webhooks/events/events.ts'
import { BLANK } from './blank.ts'
import { nameOfAuthor } from './issue.ts'
import { type Maker, refuseUnsold } from './issuers.ts'
import { type LabelColumns, type LabelsDraft, newLabels } from './labels.ts'
import { insertUsers } from './store/user-bulk.ts'
import { type RemainingUsers, remainingUsers } from './user-quota.ts'
import { newTerms, type TermsDraft } from './user-terms.ts'

export type Generation = Omit<TermsDraft, 'key_expires'> &
  LabelsDraft &
  KeyDraft & {
    readonly amount: number
    readonly keys_expire?: number
    readonly note?: string | number
  }

export async function generateUsers(
  deps: Deps,
  subject: ProjectSubject,
  { amount, note, ...terms }: Generation,
  maker?: Maker,
): Promise<
  | ({ readonly user_keys: string[]; readonly count: number } & Added)
  | AdditionRefused<'too_many_keys_to_generate'>
  | Refused<'invalid_request'>
> {
  const refused = refuseAmount(deps, subject, amount)
  if (refused) return refused
  const format = formatOf(subject.project, terms)
  if (format instanceof Refused) return format
  const draft = termsOf(terms)
  const labels = await checkTerms(deps, subject, terms, maker)
  if (labels instanceof Refused) return labels
  const user = { ...BLANK, ...labels, note: String(note ?? '').trim() || null }
  const keys = Array.from({ length: amount }, () => newKey(deps.random, format))
  return addUsers(deps, subject, {
    issuer: maker?.issuer,
    count: amount,
    tooMany: 'too_many_keys_to_generate',
    insert: async (tx, place, { start, end }) => {
      // Checked in each transaction, because the plan may have been changed or removed since the previous
      // one.
      if (
        await refuseUnsold(
          tx,
          subject.project,
          { ...(draft.plan_id !== undefined && { plan_id: draft.plan_id }) },
          maker,
        )
      )
        return []
      const terms = await newTerms(tx, subject.project, draft, place.createdAt)
      if (terms instanceof Refused) return []
      const rows = keys.slice(start, end).map((key) => ({ ...user, ...terms, key }))
      await insertUsers(tx, place, rows)
      return rows.map(({ key }) => key)
    },
    report: async (tx, count) => {
      if (count < amount) return refuseMember('plan_id', 'was removed in the meantime. Choose another plan')
      deps.annotateAudit({ count })
      const user_keys = keys.slice(0, NAMED_KEYS).map(maskKey)
      const data = { actor: 'owner', count, user_keys } as const
      await addEvent(tx, deps, { type: 'users.generated', project_id: subject.project.id, data })
      return { user_keys: keys, count }
    },
    draft: { action: 'generate' },
  })
}

/** Runs the checks of `generateUsers` without creating keys. */
export async function previewGeneration(
  deps: Deps,
  subject: ProjectSubject,
  { amount, note: _, ...order }: Generation,
  maker?: Maker,
): Promise<
  | ({ readonly user_keys: never[]; readonly count: number } & RemainingUsers)
  | Refused<'account_expired' | 'too_many_keys_to_generate' | 'invalid_request'>
> {
  const refused = refuseAmount(deps, subject, amount)
  if (refused) return refused
  const format = formatOf(subject.project, order)
  if (format instanceof Refused) return format
  const labels = await checkTerms(deps, subject, order, maker)
  if (labels instanceof Refused) return labels
  return { user_keys: [], count: amount, ...(await remainingUsers(deps, subject, amount, maker?.issuer)) }
}

type Terms = Omit<Generation, 'amount' | 'note'>

/** Returns the labels of the new keys, or the reason why these terms or labels are invalid. */
async function checkTerms(
  deps: Deps,
  { project }: ProjectSubject,
  terms: Terms,
  maker: Maker | undefined,
): Promise<LabelColumns | Refused<'invalid_request'>> {
  const unfit = await deps.unauditedDb.transaction(
    async (tx) =>
      (await refuseUnsold(tx, project, terms, maker)) ?? newTerms(tx, project, termsOf(terms), deps.now()),
  )
  if (unfit instanceof Refused) return unfit
  return newLabels(terms, { now: deps.now(), by: nameOfAuthor(deps) })
}

function termsOf({ keys_expire, ...terms }: Terms): TermsDraft {
  return keys_expire === undefined ? terms : { ...terms, key_expires: keys_expire }
}

function refuseAmount(
  { config: { generateLimit }, now }: Deps,
  { customer }: ProjectSubject,
  amount: number,
): Refused<'account_expired' | 'too_many_keys_to_generate'> | undefined {
  if (isAccountExpired(customer, now())) return refuse('account_expired')
  return amount > generateLimit ? refuseCall('too_many_keys_to_generate', generateLimit) : undefined
}
