/** The signed-in user, at the bottom of the sidebar. */
import { ErrorMessage } from '../components/error-message.tsx'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { Icon } from './icons.tsx'
import styles from './sidebar.module.css'
import { useSignOut } from './sign-out.ts'

/** Opens the account and server pages. */
export function AccountButton({ onOpen }: { onOpen: () => void }) {
  const name = useName()
  return (
    <button type="button" className={styles.account} onClick={onOpen}>
      <Face name={name} />
      <span className={styles.name}>
        <strong>{name}</strong> <span>{text.frame.accountAndServer}</span>
      </span>
      <Icon name="choose" />
    </button>
  )
}

export function UserMenu() {
  const me = useMe()
  const name = useName()
  const signOut = useSignOut()
  const role = me.role === null ? '' : (text.roleNames[me.role] ?? me.role)
  return (
    <div className={styles.who}>
      <Face name={name} />
      <div className={styles.name}>
        <strong>{name}</strong>
        <span title={me.account?.email}>{[role, me.account?.email].filter(Boolean).join(' · ')}</span>
      </div>
      <ErrorMessage of={signOut.error} />
      <button type="button" onClick={() => signOut.mutate()} disabled={signOut.isPending}>
        {text.signOut}
      </button>
    </div>
  )
}

function useName(): string {
  const { person } = useMe()
  return person?.name || person?.email || text.account
}

function Face({ name }: { name: string }) {
  return (
    <span className={styles.face} aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  )
}
