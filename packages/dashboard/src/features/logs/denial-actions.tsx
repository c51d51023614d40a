/**
 * Actions for a denial: the fix itself if possible; otherwise, a link to the page where the problem can be
 * fixed.
 */
import { v1UsersReset } from '@scriptward/sdk'
import { useState } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { type Denial, remediesOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

type Props = { readonly denial: Pick<Denial, 'reason' | 'user_key' | 'script_id'> }

export function DenialActions({ denial }: Props) {
  const { id } = useProject()
  const { reason, user_key } = denial
  return (
    <>
      {reason === 'fingerprint_mismatch' && user_key !== null && <Reset userKey={user_key} />}
      {remediesOf(id, denial).map((remedy) => (
        <a key={remedy.href} className="button" href={remedy.href}>
          {remedy.title}
        </a>
      ))}
    </>
  )
}

function Reset({ userKey }: { userKey: string }) {
  const t = text.logs
  const call = useCall()
  const showToast = useToast()
  const [isAsked, setIsAsked] = useState(false)
  const reset = async () => {
    await v1UsersReset({ ...call, path: { user_key: userKey }, body: { force: true } })
    showToast({ title: t.resetDone })
  }
  return (
    <>
      <GuardedButton needs="users:write" className="main" onClick={() => setIsAsked(true)}>
        {t.resetDevice}
      </GuardedButton>
      {isAsked && (
        <ConfirmDialog
          title={t.resetTitle}
          words={t.resetWords}
          submit={t.resetDevice}
          onConfirm={reset}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  )
}
