/** Shows the current problem in one sentence, with its likely cause, one fix, and one secondary link. */
import { v1BansRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { GuardedButton } from '../../../components/guarded.tsx'
import { ConfirmDialog } from '../../../components/overlays/dialog.tsx'
import { useFilters } from '../../../lib/address.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { usePlans } from '../../../queries/plans.ts'
import type { ChangeId } from '../changes/changes.ts'
import type { User } from '../user.ts'
import { useFix } from './fixes.ts'
import { RecordIcon } from './icons.tsx'
import { type Fix, problemOf, type See } from './problem.ts'
import { useCrashError, useDenials, useDevices, useLog } from './queries.ts'
import styles from './record.module.css'

type Props = { readonly user: User; readonly onChange: (change: ChangeId) => void }

export function ProblemStrip({ user, onChange }: Props) {
  const problem = useProblem(user)
  if (problem === undefined) return null
  const { tone, title, why, fix, see } = problem
  return (
    <section className={`${styles.problem} ${styles[tone]}`} aria-label={recordText.problem.label}>
      <RecordIcon name={tone === 'bad' && fix?.kind === 'link' ? 'crashed' : 'denied'} />
      <div>
        <strong dir="auto">{title}</strong>
        {why !== undefined && <p dir="auto">{why}</p>}
      </div>
      <div className={styles.actions}>
        {see && <SeeLink see={see} />}
        {fix && <FixButton user={user} fix={fix} onChange={onChange} />}
      </div>
    </section>
  )
}

function useProblem(user: User) {
  const denials = useDenials(user).data ?? []
  const devices = useDevices(user).data ?? []
  const plan = usePlans().data?.find(({ id }) => id === user.plan_id)
  const last = useLog(user).data?.pages[0]?.executions.find(({ outcome }) => outcome !== 'denied')
  const crashed = last?.outcome === 'crashed' ? last : undefined
  const error = useCrashError(crashed).data ?? undefined
  const crash = crashed && {
    at: crashed.at,
    script_id: crashed.script_id,
    version: crashed.script_version,
    error,
  }
  return problemOf({ user, denials, devices, crash, plan, now: Date.now() })
}

function SeeLink({ see }: { see: See }) {
  const [, change] = useFilters()
  if (see.kind === 'link')
    return (
      <a className="button" href={see.href}>
        {see.label}
      </a>
    )
  const to = see.kind === 'denials' ? { tab: undefined, kind: 'denied' } : { tab: 'sessions' }
  return (
    <button type="button" className="quiet" onClick={() => change(to)}>
      {see.label}
    </button>
  )
}

type FixProps = Props & { readonly fix: Fix }

function FixButton({ user, fix, onChange }: FixProps) {
  const [, filter] = useFilters()
  const [isAsking, setIsAsking] = useState(false)
  const [isPending, setIsPending] = useState(false)
  const apply = useFix(user, onChange)
  if (fix.kind === 'link')
    return (
      <a className="button" href={fix.href}>
        {fix.label}
      </a>
    )
  const act = async () => {
    if (fix.kind === 'edit') return filter({ tab: 'edit' })
    if (fix.kind === 'unban') return setIsAsking(true)
    setIsPending(true)
    await apply(fix)
    setIsPending(false)
  }
  return (
    <>
      <GuardedButton needs="users:write" className="main" disabled={isPending} onClick={() => void act()}>
        {fix.label}
      </GuardedButton>
      {isAsking && <Unban user={user} onClose={() => setIsAsking(false)} />}
    </>
  )
}

function Unban({ user, onClose }: { user: User; onClose: () => void }) {
  const call = useCall()
  const { ban, project_id } = user
  if (ban === null) return null
  return (
    <ConfirmDialog
      title={text.bans.removeTitle(ban.value)}
      words={text.bans.removeWords}
      submit={text.bans.remove}
      onConfirm={() => v1BansRemove({ ...call, path: { project_id, ban_id: ban.id } })}
      onClose={onClose}
    />
  )
}
