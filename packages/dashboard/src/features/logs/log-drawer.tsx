/** All details of one run. Its problem and the fix come first; the actions stay visible. */
import type { ReactNode } from 'react'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { UserLink } from '../../components/user-link.tsx'
import { addressOf } from '../../lib/address.ts'
import { reasonText } from '../../lib/denials.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript } from '../../queries/scripts.ts'
import { CrashActions } from './crash-actions.tsx'
import { DenialActions } from './denial-actions.tsx'
import { durationOf } from './duration.ts'
import styles from './logs.module.css'
import { outcomeName } from './outcome-badge.tsx'
import type { Run } from './queries.ts'
import { RunErrors } from './run-errors.tsx'
import { Steps } from './steps.tsx'

type Props = {
  readonly run: Run
  readonly names: ReadonlyMap<string, string>
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly onClose: () => void
}

export function LogDrawer({ run, names, onPrevious, onNext, onClose }: Props) {
  const t = text.logs
  return (
    <Drawer title={outcomeName(run)} isBeside onClose={onClose}>
      <Steps onPrevious={onPrevious} onNext={onNext} />
      <p className="hint">{exactly(run.at)}</p>
      {run.reason !== null && <Advice reason={run.reason} />}
      {run.reason === null && <RunErrors key={run.id} run={run} />}
      <section className="stack tight">
        <h3>{t.run}</h3>
        <Facts run={run} names={names} />
      </section>
      <div className={styles.actions}>
        {run.outcome === 'crashed' && <CrashActions key={run.id} run={run} />}
        {run.reason !== null && <DenialActions key={run.id} denial={{ ...run, reason: run.reason }} />}
        <AllOfUser run={run} />
      </div>
    </Drawer>
  )
}

export function Advice({ reason }: { reason: string }) {
  const { happened, todo } = reasonText(reason)
  return (
    <section className={`notice warn ${styles.advice}`}>
      <p>{happened}</p>
      <p>
        <strong>{text.denials.whatToDo}</strong> {todo}
      </p>
    </section>
  )
}

function AllOfUser({ run: { user_key } }: { run: Run }) {
  const { id } = useProject()
  if (user_key === null) return null
  return (
    <a className="button" href={addressOf.project(id, 'logs', { user_key, period: '30d' })}>
      {text.logs.allOfUser}
    </a>
  )
}

function Facts({ run, names }: Pick<Props, 'run' | 'names'>) {
  const t = text.logs
  const { id } = useProject()
  const { user_key, note, chat_id } = run
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t.customer, <UserLink key="customer" projectId={id} userKey={user_key} note={note} chatId={chat_id} />],
    [t.script, <bdi key="script">{nameOfScript(names, run.script_id)}</bdi>],
    [t.version, t.versionOf(run.script_version)],
    [t.executor, <bdi key="executor">{run.executor}</bdi>],
    [t.runtime, run.runtime],
    [t.state, run.state && t.states[run.state]],
    [t.stopReason, run.stop_reason],
    [t.duration, run.ended_at === null ? null : durationOf(run)],
    [t.ended, run.ended_at === null ? null : exactly(run.ended_at)],
    [t.value, run.value],
    [t.leftOutName, run.left_out === 0 ? null : t.leftOut(run.left_out)],
    [t.id, <code key="id">{run.id}</code>],
  ]
  return (
    <dl className="facts-list">
      {facts.map(([name, value]) =>
        value === null || value === '' ? null : (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
