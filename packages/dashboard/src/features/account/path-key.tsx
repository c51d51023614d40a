/** Enables or disables the unversioned API, whose URLs contain the API key. */
import { v1AccountEdit } from '@scriptward/sdk'
import { useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { OwnAccount } from './own-account.ts'

export function PathKeyPanel({ account }: { account: OwnAccount }) {
  const { allow_path_key: isAllowed, path_key_used_at: usedAt } = account
  const [isOpen, setIsOpen] = useState(false)
  const allow = useAllow()
  const used = usedAt === null ? text.pathNeverUsed : text.pathUsed(when(usedAt))
  const change = () => (isAllowed ? setIsOpen(true) : allow.mutate(true))
  return (
    <section className="panel">
      <header>
        <h2 className="bar">
          {text.pathTitle}
          <span className={isAllowed ? 'badge warn' : 'badge on'}>
            {isAllowed ? text.pathOpen : text.pathClosed}
          </span>
        </h2>
        <p className="hint">{text.pathIntro}</p>
      </header>
      <p>{used}</p>
      <div className="bar">
        <GuardedButton needs="account:write" disabled={allow.isPending} onClick={change}>
          {isAllowed ? text.closePath : text.openPath}
        </GuardedButton>
        <ErrorMessage of={allow.error} />
      </div>
      {isOpen && <CloseDialog used={used} onClose={() => setIsOpen(false)} />}
    </section>
  )
}

function CloseDialog({ used, onClose }: { used: string; onClose: () => void }) {
  const allow = useAllow()
  return (
    <FormDialog
      title={text.closePathTitle}
      submit={text.closePath}
      isDanger
      isPending={allow.isPending}
      error={allow.error}
      onClose={onClose}
      onSubmit={() => allow.mutate(false, { onSuccess: onClose })}
    >
      <p>{text.closePathText}</p>
      <p className="hint">{used}</p>
    </FormDialog>
  )
}

function useAllow() {
  const call = useCall()
  return useChange((allow_path_key: boolean) => v1AccountEdit({ ...call, body: { allow_path_key } }))
}
