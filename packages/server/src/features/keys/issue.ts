import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import { editedLabels, type LabelsDraft } from './labels.ts'
import { reportEdit } from './report-edit.ts'
import { lockUser, updateUser } from './store/users.ts'

/** Marks a key as issued. Fields that are missing from the request keep their stored values. */
export async function issueUser(
  deps: Deps,
  { customer, project, user }: UserSubject,
  { issued_to, issued_by }: Pick<LabelsDraft, 'issued_to' | 'issued_by'>,
): Promise<
  | undefined
  | Refused<'account_expired' | 'user_already_issued' | 'user_already_used' | 'not_found' | 'invalid_request'>
> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const given = editedLabels({ ...(issued_to && { issued_to }), ...(issued_by && { issued_by }) })
  if (given instanceof Refused) return given
  return deps.db.transaction(async (tx) => {
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    if (row.issued_at !== null) return refuse('user_already_issued')
    if (row.executions > 0 || row.fingerprint_assigned === 1) return refuse('user_already_used')
    const by = given.issued_by ?? row.issued_by ?? nameOfAuthor(deps)
    const changes = { issued_to: given.issued_to ?? row.issued_to, issued_by: by, issued_at: now }
    const after = await updateUser(tx, project.id, row.key, changes)
    if (!after) return refuse('not_found')
    await reportEdit(tx, deps, { before: row, after, columns: Object.keys(changes) })
    return undefined
  })
}

/** Returns a name for the caller: the name of a team member or token, or the start of an API key. */
export function nameOfAuthor({ author }: Pick<Deps, 'author'>): string | null {
  return author?.name.slice(0, 255) ?? null
}
