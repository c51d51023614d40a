/** Groups denials by customer and reason, because one problem usually causes many denials. */
import type { Denial } from '../../lib/denials.ts'

export type Group = {
  readonly id: string
  readonly reason: Denial['reason']
  readonly user_key: string | null
  readonly note: string | null
  readonly chat_id: string | null
  readonly count: number
  readonly first_at: number
  readonly last_at: number
  /** The denials of the group, newest first. */
  readonly denials: readonly Denial[]
}

/** Expects the newest denial first, and returns the newest group first. */
export function groupsOf(denials: readonly Denial[]): Group[] {
  const groups = new Map<string, Denial[]>()
  for (const denial of denials) {
    const id = `${denial.reason} ${denial.user_key ?? ''}`
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [denial])
    else group.push(denial)
  }
  return [...groups].map(([id, all]) => summaryOf(id, all))
}

function summaryOf(id: string, denials: readonly Denial[]): Group {
  const [newest] = denials as readonly [Denial]
  const { reason, user_key, note, chat_id } = newest
  return {
    ...{ id, reason, user_key, note, chat_id, denials },
    count: denials.reduce((sum, { count }) => sum + count, 0),
    first_at: Math.min(...denials.map(({ first_at }) => first_at)),
    last_at: Math.max(...denials.map(({ last_at }) => last_at)),
  }
}
