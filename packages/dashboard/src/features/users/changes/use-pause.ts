/** Pauses or resumes one key. The new state appears immediately and can be undone. */
import { v1UsersPause, v1UsersResume } from '@scriptward/sdk'
import type { Toast } from '../../../components/overlays/undo-button.tsx'
import { useOptimistic } from '../../../components/overlays/use-optimistic.ts'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { listKey, readUser, userKey, useShownUsers } from '../queries.ts'
import type { User } from '../user.ts'

type Pause = { readonly user: User; readonly isPaused: boolean }

export function usePause(showToast: (toast: Toast) => void) {
  const call = useCall()
  const cached = useShownUsers()
  const refresh = async ({ user }: Pause) => cached.put([await readUser(call, user.key)], [user])
  const change = ({ user, isPaused }: Pause) =>
    (isPaused ? v1UsersPause : v1UsersResume)({ ...call, path: { user_key: user.key } })
  return useOptimistic({
    change,
    shown: ({ user, isPaused }: Pause) => ({
      keys: [userKey(user.key), listKey(user.project_id)],
      id: user.key,
      changes: isPaused ? paused(user) : { paused: null, status: 'active' },
    }),
    refresh,
    onDone: (given) => {
      const undo = async () => {
        const back = { ...given, isPaused: !given.isPaused }
        await change(back)
        await refresh(back)
      }
      showToast({ title: text.users.changes[given.isPaused ? 'pause' : 'resume'].done(1), undo })
    },
  })
}

function paused({ key_expires }: User): Partial<User> {
  const since = Date.now()
  return { status: 'paused', paused: { since, left: key_expires === null ? null : key_expires - since } }
}
