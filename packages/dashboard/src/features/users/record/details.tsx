/** Rarely needed details of a key. */
import { Time } from '../../../components/time.tsx'
import { number } from '../../../lib/format.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { usedIn } from '../columns.tsx'
import { TermFacts } from '../terms.tsx'
import { endWords, type User } from '../user.ts'
import styles from './record.module.css'

export function Details({ user }: { user: User }) {
  const t = text.users
  const issued = [user.issued_to, user.issued_by].filter((name) => name !== null)
  const isIssued = user.issued_at !== null || issued.length > 0
  return (
    <details className={styles.details}>
      <summary>{recordText.details}</summary>
      <dl className="facts-list">
        <dt>{t.key}</dt>
        <dd>
          <code>{user.key}</code>
        </dd>
        <dt>{t.expiry}</dt>
        <dd>{endWords(user)}</dd>
        <TermFacts user={user} />
        {isIssued && (
          <>
            <dt>{text.labels.issued}</dt>
            <dd dir="auto">
              {user.issued_at !== null && <Time at={user.issued_at} />} {issued.join(' · ')}
            </dd>
          </>
        )}
        <dt>{t.executions}</dt>
        <dd>{number(user.executions)}</dd>
        {usedIn(user) !== '' && (
          <>
            <dt>{text.userList.lately}</dt>
            <dd>{usedIn(user)}</dd>
          </>
        )}
        <dt>{t.created}</dt>
        <dd>
          <Time at={user.created_at} />
          {user.ad_system_id !== null && ` · ${t.fromAds}`}
          {user.issuer !== null && ` · ${t.issuedBy(user.issuer)}`}
        </dd>
      </dl>
    </details>
  )
}
