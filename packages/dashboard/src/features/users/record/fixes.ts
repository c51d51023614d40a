/** Fixes problems with one click. Fixes that can't be undone ask for confirmation first. */
import { v1ProjectUsersBulk, v1UsersEdit } from '@scriptward/sdk'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { useUndoChange } from '../../../components/overlays/undo-change.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { exactly } from '../../../lib/when.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { type Calling, errorMessages, useCall } from '../../../queries/api.ts'
import { CHANGES, type ChangeId, isUndone, OPTIONS, type Options } from '../changes/changes.ts'
import { usePause } from '../changes/use-pause.ts'
import { readUser, useShownUsers } from '../queries.ts'
import type { User } from '../user.ts'
import type { Fix } from './problem.ts'

type Changing = Extract<Fix, { readonly kind: 'change' }>
type Starting = Extract<Fix, { readonly kind: 'start' }>
const HOUR_MS = 3_600_000
/** Actions that the server can undo exactly if they are sent as bulk changes. */
const IN_BULK = ['reset', 'unblacklist', 'blacklist'] as const
type Bulk = (typeof IN_BULK)[number]

/**
 * Returns a function that applies a fix. For a fix that can't be undone, it calls `confirm` to open the
 * dialog.
 */
export function useFix(user: User, confirm: (change: ChangeId) => void) {
  const call = useCall()
  const shown = useShownUsers()
  const showToast = useToast()
  const undoChange = useUndoChange()
  const mayBulk = useRefusal('users:bulk') === undefined
  const refresh = async (before: User) => shown.put([await readUser(call, user.key)], [before])
  const report = (error: unknown) => showToast({ title: errorMessages(error).join(' ') })

  const pause = usePause(showToast)

  const change = async ({ change: id, duration }: Changing) => {
    if (id === 'resume') return pause.mutate({ user, isPaused: false })
    const options: Options = {
      ...OPTIONS,
      mayBulk,
      ...(duration !== undefined && { length: { amount: String(duration / HOUR_MS), unit: 'hours' } }),
    }
    if (isBulk(id) && mayBulk) {
      const changeId = await applyInBulk(call, user, id)
      await refresh(user)
      const undo = changeId === undefined ? {} : { undo: () => undoChange(changeId) }
      return showToast({ title: text.users.changes[id].done(1), ...undo })
    }
    if (!isUndone(id, [user], options)) return confirm(id)
    const changeId = await CHANGES[id].apply(call, user, options)
    await refresh(user)
    const undo = async () => {
      await CHANGES[id].undo?.(call, user, changeId)
      await refresh(user)
    }
    showToast({ title: await doneText(call, user, id), undo })
  }
  const start = async () => {
    const edit = (starts_at: number) =>
      v1UsersEdit({ ...call, path: { user_key: user.key }, body: { starts_at } }).then(() => refresh(user))
    await edit(0)
    const undo = () => edit(user.starts_at ?? 0)
    showToast({ title: recordText.problem.started, undo })
  }
  return (fix: Changing | Starting) => (fix.kind === 'start' ? start() : change(fix)).catch(report)
}

function isBulk(id: ChangeId): id is Bulk {
  return (IN_BULK as readonly string[]).includes(id)
}

async function applyInBulk(call: Calling, user: User, action: Bulk): Promise<string | undefined> {
  const path = { project_id: user.project_id }
  const { data } = await v1ProjectUsersBulk({ ...call, path, body: { action, keys: [user.key] } })
  return data.change_id ?? undefined
}

async function doneText(call: Calling, { key }: User, id: ChangeId): Promise<string> {
  const { key_expires } = await readUser(call, key)
  if (id === 'extend' && key_expires !== null) return recordText.problem.extended(exactly(key_expires))
  return text.users.changes[id].done(1)
}
