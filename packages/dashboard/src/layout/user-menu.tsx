import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ErrorMessage } from '../components/error-message.tsx'
import { addressOf } from '../lib/address.ts'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { useCall } from '../queries/api.ts'
import { auth } from '../queries/auth.ts'
import styles from './app-shell.module.css'

export function UserMenu({ onSignedOut }: { onSignedOut: () => void }) {
  const call = useCall()
  const queries = useQueryClient()
  const me = useMe()
  // Does not use useChange, whose refresh would fail after signing out and unmount this component too early.
  const signOut = useMutation({
    mutationFn: () => auth.signOut(call),
    onSuccess: () => {
      onSignedOut()
      queries.clear()
      location.replace(addressOf.projects)
      location.reload()
    },
  })
  const role = me.role === null ? '' : (text.roleNames[me.role] ?? me.role)
  return (
    <div className={styles.who}>
      <div className={styles.whoName}>
        <strong>{me.person?.name || me.person?.email}</strong>
        <span className="hint" title={me.account?.email}>
          {[role, me.account?.email].filter(Boolean).join(' · ')}
        </span>
      </div>
      <ErrorMessage of={signOut.error} />
      <button type="button" onClick={() => signOut.mutate()} disabled={signOut.isPending}>
        {text.signOut}
      </button>
    </div>
  )
}
