/** Who is signed in, and signing out. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addressOf } from '../address.ts'
import { useCall } from '../api.ts'
import { auth } from '../auth-api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { useMe } from '../rights.ts'
import { text } from '../text/text.ts'
import styles from './frame.module.css'

export function Who({ onSignedOut }: { onSignedOut: () => void }) {
  const call = useCall()
  const queries = useQueryClient()
  const me = useMe()
  // No useChange: it asks for everything again, is refused, and this bar is gone before it has signed out.
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
      <Complaint of={signOut.error} />
      <button type="button" onClick={() => signOut.mutate()} disabled={signOut.isPending}>
        {text.signOut}
      </button>
    </div>
  )
}
