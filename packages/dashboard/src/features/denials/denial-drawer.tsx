/** One customer's denials for one reason: the advice, followed by each denial. */
import type { ReactNode } from 'react'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { UserLink } from '../../components/user-link.tsx'
import { addressOf } from '../../lib/address.ts'
import { type Denial, keyOfDenial, titleOf } from '../../lib/denials.ts'
import { number } from '../../lib/format.ts'
import { exactly, when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript } from '../../queries/scripts.ts'
import { DenialActions } from '../logs/denial-actions.tsx'
import { Advice } from '../logs/log-drawer.tsx'
import logStyles from '../logs/logs.module.css'
import { Steps } from '../logs/steps.tsx'
import type { Group } from './groups.ts'

type Names = ReadonlyMap<string, string>
type Props = {
  readonly group: Group
  readonly names: Names
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly onClose: () => void
}

const MAX_SHOWN = 20

export function DenialDrawer({ group, names, onPrevious, onNext, onClose }: Props) {
  const t = text.denials
  const { id } = useProject()
  const { reason, user_key, note, chat_id, denials } = group
  const [newest] = denials
  return (
    <Drawer title={titleOf(reason)} isBeside onClose={onClose}>
      <Steps onPrevious={onPrevious} onNext={onNext} />
      <p className={logStyles.whose}>
        <UserLink projectId={id} userKey={user_key} note={note} chatId={chat_id} />
        <span className="hint">{t.spanOf(group.count, when(group.first_at), when(group.last_at))}</span>
      </p>
      <Advice reason={reason} />
      <ul className="stack" aria-label={t.each}>
        {denials.slice(0, MAX_SHOWN).map((denial) => (
          <One key={keyOfDenial(denial)} denial={denial} names={names} />
        ))}
      </ul>
      {denials.length > MAX_SHOWN && <p className="hint">{t.moreOf(denials.length - MAX_SHOWN)}</p>}
      <div className={logStyles.actions}>
        {newest && <DenialActions key={group.id} denial={newest} />}
        {user_key !== null && (
          <a className="button" href={addressOf.project(id, 'logs', { user_key, period: '30d' })}>
            {text.logs.allOfUser}
          </a>
        )}
      </div>
    </Drawer>
  )
}

function One({ denial, names }: { denial: Denial; names: Names }) {
  return (
    <li className={logStyles.one}>
      <dl className="facts-list">
        {factsOf(denial, names).map(([name, value]) =>
          value === null || value === '' ? null : (
            <div key={name} className="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </li>
  )
}

function factsOf(denial: Denial, names: Names): readonly (readonly [string, ReactNode])[] {
  const t = text.denials
  const { client, allowed_at } = denial
  return [
    [t.last, exactly(denial.last_at)],
    [t.count, denial.count === 1 ? null : t.since(denial.count, exactly(denial.first_at))],
    [t.nextTry, allowed_at === null ? null : `${when(allowed_at)}, ${exactly(allowed_at)}`],
    [t.script, <bdi key="script">{nameOfScript(names, denial.script_id)}</bdi>],
    [t.version, number(denial.script_version)],
    [t.valueName, denial.value],
    [t.executor, <bdi key="executor">{client.executor}</bdi>],
    [t.runtime, client.runtime],
    [t.address, client.ip],
    [t.device, client.fingerprint],
    [t.leftOutName, denial.left_out === 0 ? null : t.leftOut(denial.left_out)],
    [t.code, `${denial.reason} (${number(denial.code)})`],
  ]
}
