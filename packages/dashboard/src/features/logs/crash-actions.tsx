/** Actions for a crash: roll back to the previous version, and message the affected customers. */
import { useState } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { text } from '../../messages/text.ts'
import { RollBackButton } from '../scripts/releases/roll-back.tsx'
import { useError } from '../scripts/reported/queries.ts'
import { NewAnnouncement } from '../variables/announcements.tsx'
import type { Run } from './queries.ts'
import { useRunErrors } from './run-error-queries.ts'

export function CrashActions({ run }: { run: Run }) {
  const crash = useRunErrors(run).data?.errors.find(({ kind }) => kind === 'crash')
  return (
    <>
      <RollBackButton scriptId={run.script_id} version={run.script_version} />
      {crash && <Message script={run.script_id} id={crash.id} />}
    </>
  )
}

function Message({ script, id }: { script: string; id: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const { data } = useError(script, id)
  if (data === undefined || data.keys === 0) return null
  return (
    <>
      <GuardedButton needs="projects:write" onClick={() => setIsOpen(true)}>
        {text.logs.message(data.keys)}
      </GuardedButton>
      {isOpen && <NewAnnouncement error={data} onClose={() => setIsOpen(false)} />}
    </>
  )
}
