import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { addressOf, useGoTo } from '../../lib/address.ts'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { access } from '../../queries/access.ts'
import { useCall } from '../../queries/api.ts'

export function LeavePanel() {
  const [isOpen, setIsOpen] = useState(false)
  const reason = useIsSoleOwner() ? text.soleOwner : undefined
  return (
    <section className="panel">
      <header>
        <h2>{text.leaveTitle}</h2>
        <p className="hint">{text.leaveText}</p>
      </header>
      <div className="bar">
        <GuardedButton needs={undefined} reason={reason} className="danger" onClick={() => setIsOpen(true)}>
          {text.leave}
        </GuardedButton>
      </div>
      {isOpen && <LeaveDialog onClose={() => setIsOpen(false)} />}
    </section>
  )
}

function useIsSoleOwner(): boolean {
  const call = useCall()
  const isOwner = useMe().role === 'owner'
  const list = useQuery({ queryKey: ['members'], queryFn: () => access.members(call), enabled: isOwner })
  const owners = list.data?.members.filter(({ role }) => role === 'owner')
  return isOwner && owners?.length === 1
}

function LeaveDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const queries = useQueryClient()
  const goTo = useGoTo()
  const { account } = useMe()
  const leave = async () => {
    await access.leave(call)
    goTo(addressOf.projects)
    await queries.resetQueries()
  }
  return (
    <ConfirmDialog
      title={text.leaveAsk(account?.email ?? '')}
      words={text.leaveText}
      submit={text.leave}
      onConfirm={leave}
      onClose={onClose}
    />
  )
}
