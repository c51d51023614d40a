/** Sample users from a dry run, each with its changes. */
import type { V1ProjectUsersClearResponse } from '@scriptward/sdk'
import { customerName } from '../../../lib/customer-name.ts'
import { text } from '../../../messages/text.ts'
import { expiryWords } from '../user.ts'
import styles from '../users.module.css'

type Sample = NonNullable<V1ProjectUsersClearResponse['samples']>[number]
const SHOWN = 5

export function Samples({ samples, count }: { samples: readonly Sample[]; count: number }) {
  const t = text.users
  const shown = samples.slice(0, SHOWN)
  if (shown.length === 0) return null
  return (
    <ul className={styles.previews}>
      {shown.map((sample) => (
        <li key={sample.user_key}>
          {[customerName(sample), changedExpiry(sample)].filter(Boolean).join(': ')}
        </li>
      ))}
      {count > shown.length && <li className="hint">{t.andMore(count - shown.length)}</li>}
    </ul>
  )
}

/** Shows only the expiry, because all other changes are the same for every user. */
export function changedExpiry({ changes: { key_expires } }: Pick<Sample, 'changes'>): string | undefined {
  if (key_expires === undefined) return undefined
  const [before, after] = [key_expires.before, key_expires.after].map((time) =>
    expiryWords(typeof time === 'number' ? time : null),
  )
  return text.users.fromTo(before ?? '', after ?? '')
}
