/** Shows runs, denials, errors and changes in one timeline, grouped by day. */
import { v1UsersEdit } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../../components/empty.tsx'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { useFilters } from '../../../lib/address.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { errorMessages, useCall } from '../../../queries/api.ts'
import { usePlans } from '../../../queries/plans.ts'
import { useScriptNames } from '../../../queries/scripts.ts'
import { readUser, useShownUsers } from '../queries.ts'
import type { User } from '../user.ts'
import { undoOf } from './changed.ts'
import { dayName, dayText, idleText } from './days.ts'
import { Line } from './line.tsx'
import { useAudit, useBulkChanges, useDenials, useExecutions, useLog } from './queries.ts'
import styles from './record.module.css'
import { type Counts, type Item, itemsOf, type Kind, sectionsOf } from './timeline.ts'

const KINDS = ['run', 'denied', 'crashed', 'change'] as const satisfies readonly Kind[]

export function Activity({ user }: { user: User }) {
  const t = recordText
  const refusal = useRefusal('audit:read')
  const [given] = useFilters()
  const kind = KINDS.find((each) => each === given.kind)
  const { isPending, errors, items, more } = useItems(user, refusal === undefined)
  if (isPending) return <Skeleton rows={4} />
  const sections = sectionsOf(items, kind)
  return (
    <>
      <KindFilter kind={kind} />
      {refusal !== undefined && <p className="hint">{text.users.noAudit(refusal)}</p>}
      {errors.map((error) => (
        <ErrorMessage key={String(error)} of={error} />
      ))}
      {items.length === 0 && <Empty title={t.nothing} hint={t.nothingHint} />}
      {items.length > 0 && sections.length === 0 && <p className="hint">{t.nothingOfKind}</p>}
      <div>
        {sections.map((section) =>
          section.kind === 'idle' ? (
            <p key={section.from} className={styles.idle}>
              {idleText(section.from, section.to)}
            </p>
          ) : (
            <Day key={section.day} user={user} {...section} />
          ),
        )}
      </div>
      {more && (
        <div className="bar">
          <button type="button" onClick={more}>
            {t.older}
          </button>
        </div>
      )}
    </>
  )
}

function KindFilter({ kind }: { kind: Kind | undefined }) {
  const t = recordText
  const [, change] = useFilters()
  return (
    <fieldset className={styles.kinds} aria-label={t.filterActivity}>
      {[undefined, ...KINDS].map((each) => (
        <button
          key={each ?? 'all'}
          type="button"
          aria-pressed={each === kind}
          onClick={() => change({ kind: each })}
        >
          {t.kinds[each ?? 'all']}
        </button>
      ))}
    </fieldset>
  )
}

type DayProps = {
  readonly user: User
  readonly day: number
  readonly items: readonly Item[]
  readonly counts: Counts
}

function Day({ user, day, items, counts }: DayProps) {
  const t = recordText
  const scripts = useScriptNames(user.project_id)
  const plans = new Map(usePlans().data?.map(({ id, name }) => [id, name]))
  const undo = useUndoEdit(user)
  const name = dayName(day)
  const sums = KINDS.flatMap((kind) => (counts[kind] === undefined ? [] : t.sumOf[kind](counts[kind])))
  const date = dayText(day)
  return (
    <section className={styles.day}>
      <h2>
        {name} <span>{[...(date === name || name === t.today ? [] : [date]), ...sums].join(', ')}</span>
      </h2>
      <ol>
        {items.map((item) => (
          <Line key={item.id} item={item} user={user} scripts={scripts} plans={plans} onUndo={undo} />
        ))}
      </ol>
    </section>
  )
}

/** Undoes an edit by restoring the previous values. */
function useUndoEdit(user: User) {
  const call = useCall()
  const shown = useShownUsers()
  const showToast = useToast()
  const mayEdit = useRefusal('users:write') === undefined
  const [isPending, setIsPending] = useState(false)
  return (item: Item) => {
    const body = 'entry' in item && mayEdit ? undoOf(item.entry, user) : undefined
    if (body === undefined) return undefined
    return async () => {
      if (isPending) return
      setIsPending(true)
      try {
        await v1UsersEdit({ ...call, path: { user_key: user.key }, body })
        shown.put([await readUser(call, user.key)], [user])
        showToast({ title: text.frame.undone })
      } catch (error) {
        showToast({ title: text.frame.notUndone(errorMessages(error).join(' ')) })
      } finally {
        setIsPending(false)
      }
    }
  }
}

function useItems(user: User, isAudited: boolean) {
  const log = useLog(user)
  const executions = useExecutions(user)
  const audit = useAudit(user, isAudited)
  const bulk = useBulkChanges(user)
  const denials = useDenials(user)
  const runs = log.data?.pages.flatMap((page) => page.executions) ?? []
  const olderRuns = executions.data?.pages.flatMap((page) => page.executions) ?? []
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? []
  const changes = bulk.data?.pages.flatMap((page) => page.changes) ?? []
  const ends = [
    log.hasNextPage && runs.at(-1)?.at,
    executions.hasNextPage && olderRuns.at(-1)?.granted_at,
    audit.hasNextPage && entries.at(-1)?.created_at,
    bulk.hasNextPage && changes.at(-1)?.created_at,
  ].filter((end) => typeof end === 'number')
  const lists = [log, executions, bulk, ...(isAudited ? [audit] : [])]
  const load = () => {
    for (const list of lists) if (list.hasNextPage) void list.fetchNextPage()
  }
  return {
    isPending: [...lists, denials].some((each) => each.isPending),
    errors: [...lists, denials].flatMap(({ error }) => error ?? []),
    items: itemsOf({
      user,
      log: runs,
      executions: olderRuns,
      denials: denials.data ?? [],
      entries,
      changes,
      ends,
    }),
    more: lists.some((list) => list.hasNextPage) ? load : undefined,
  }
}
