import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { addressOf, useGoTo } from '../../lib/address.ts'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { access } from '../../queries/access.ts'
import { useCall } from '../../queries/api.ts'

export function LeavePanel() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section className="panel">
      <header>
        <h2>{text.leaveTitle}</h2>
        <p className="hint">{text.leaveText}</p>
      </header>
      <div className="bar">
        <button type="button" className="danger" onClick={() => setIsOpen(true)}>
          {text.leave}
        </button>
      </div>
      {isOpen && <LeaveDialog onClose={() => setIsOpen(false)} />}
    </section>
  )
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
