/** The license key of a run or denial, linked to its user. */
import { addressOf } from '../lib/address.ts'
import { shortKey } from '../lib/short-key.ts'
import { text } from '../messages/text.ts'
import styles from './user-link.module.css'

type Props = {
  readonly projectId: string
  /** Null if there was no key, or none of the project. */
  readonly userKey: string | null
}

export function UserLink({ projectId, userKey }: Props) {
  if (userKey === null) return <span className="hint">{text.denials.noKey}</span>
  return (
    <a href={addressOf.user(projectId, userKey)}>
      <code className={styles.key}>{shortKey(userKey)}</code>
    </a>
  )
}
