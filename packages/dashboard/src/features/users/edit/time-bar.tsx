/** A bar that shows a key's used, remaining and added time. */
import { recordText } from '../../../messages/en/user-record.ts'
import { beginOf } from '../record/time-left.ts'
import type { User } from '../user.ts'
import styles from './edit.module.css'

type Props = { readonly user: User; readonly end: number }

export function TimeBar({ user, end }: Props) {
  const now = Date.now()
  const was = user.key_expires ?? now
  const begin = Math.min(beginOf(user), now)
  const all = Math.max(end, was, now) - begin
  if (Number.isNaN(end) || all <= 0) return null
  const share = (ms: number) => `${(100 * Math.max(0, ms)) / all}%`
  const kept = Math.min(end, was) - now
  return (
    <div className={styles.bar} aria-hidden="true">
      <i className={styles.used} style={{ width: share(now - begin) }} />
      <i className={styles.left} style={{ width: share(kept) }} />
      <i className={styles.added} style={{ width: share(end - Math.max(was, now)) }} />
      <b style={{ left: `min(${share(now - begin)}, 100% - 1.5rem)` }}>{recordText.duration.now}</b>
    </div>
  )
}
