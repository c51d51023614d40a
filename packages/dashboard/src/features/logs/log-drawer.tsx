/** All details of one run. */
import { Drawer } from '../../components/overlays/drawer.tsx'
import { addressOf } from '../../lib/address.ts'
import { reasonText } from '../../lib/denials.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript } from '../../queries/scripts.ts'
import type { Run } from './queries.ts'
import { RunErrors } from './run-errors.tsx'

type Props = {
  readonly run: Run
  readonly names: ReadonlyMap<string, string>
  readonly onClose: () => void
}

export function LogDrawer({ run, names, onClose }: Props) {
  const t = text.logs
  const { id } = useProject()
  const { outcome, reason, user_key } = run
  const denial = reason === null ? undefined : reasonText(reason)
  return (
    <Drawer title={denial?.title ?? t.outcomes[outcome]} onClose={onClose}>
      {denial && (
        <>
          <p>{denial.happened}</p>
          <p>{denial.todo}</p>
        </>
      )}
      <dl className="facts-list">
        {factsOf(run, names).map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {denial === undefined && <RunErrors run={run} />}
      {user_key !== null && (
        <p>
          <a href={addressOf.project(id, 'logs', { user_key, period: '30d' })} onClick={onClose}>
            {t.allOfUser}
          </a>
        </p>
      )}
    </Drawer>
  )
}

function factsOf(run: Run, names: ReadonlyMap<string, string>): [string, string][] {
  const t = text.logs
  const facts: [string, string | null][] = [
    [t.at, exactly(run.at)],
    [t.state, run.state && t.states[run.state]],
    [t.stopReason, run.stop_reason],
    [t.ended, run.ended_at === null ? null : exactly(run.ended_at)],
    [t.user, run.user_key ?? t.noKey],
    [t.script, nameOfScript(names, run.script_id)],
    [t.version, t.versionOf(run.script_version)],
    [t.executor, run.executor],
    [t.runtime, run.runtime],
    [t.value, run.value],
    [t.leftOutName, run.left_out === 0 ? null : t.leftOut(run.left_out)],
    [t.id, run.id],
  ]
  return facts.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '')
}
