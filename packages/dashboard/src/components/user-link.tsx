/** The customer of a run or denial: the note, else the Discord account, else the license key. */
import { addressOf } from '../lib/address.ts'
import { customerName } from '../lib/customer-name.ts'
import { text } from '../messages/text.ts'
import styles from './user-link.module.css'

type Props = {
  readonly projectId: string
  /** Null if there was no key, or if the key does not belong to the project. */
  readonly userKey: string | null
  readonly note?: string | null
  readonly chatId?: string | null
}

export function UserLink({ projectId, userKey, note = null, chatId = null }: Props) {
  if (userKey === null) return <span className="hint">{text.noKey}</span>
  const name = customerName({ user_key: userKey, note, chat_id: chatId })
  const isNamed = note !== null || chatId !== null
  return (
    <a href={addressOf.user(projectId, userKey)} title={isNamed ? userKey : undefined}>
      {isNamed ? <bdi className={styles.name}>{name}</bdi> : <code className={styles.key}>{name}</code>}
    </a>
  )
}
