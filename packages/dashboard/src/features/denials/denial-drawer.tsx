/** One denial: what happened, how to fix it, and all details. */

import { Drawer } from '../../components/overlays/drawer.tsx'
import { addressOf } from '../../lib/address.ts'
import { type Denial, reasonText, remediesOf } from '../../lib/denials.ts'
import { number } from '../../lib/format.ts'
import { exactly, when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript } from '../../queries/scripts.ts'

type Props = {
  readonly denial: Denial
  readonly names: ReadonlyMap<string, string>
  readonly onClose: () => void
}

export function DenialDrawer({ denial, names, onClose }: Props) {
  const t = text.denials
  const { id } = useProject()
  const { title, happened, todo } = reasonText(denial.reason)
  return (
    <Drawer title={title} onClose={onClose}>
      <p>{happened}</p>
      <section className="notice">
        <div className="stack tight">
          <strong>{t.whatToDo}</strong>
          <p>{todo}</p>
        </div>
      </section>
      <div className="bar">
        {remediesOf(id, denial).map((remedy) => (
          <a key={remedy.href} className="button" href={remedy.href}>
            {remedy.title}
          </a>
        ))}
      </div>
      <dl className="facts-list">
        {factsOf(denial, names).map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {denial.user_key !== null && (
        <p>
          <a href={addressOf.project(id, 'denials', { user_key: denial.user_key })} onClick={onClose}>
            {t.allOfUser}
          </a>
        </p>
      )}
    </Drawer>
  )
}

function factsOf(denial: Denial, names: ReadonlyMap<string, string>): [string, string][] {
  const t = text.denials
  const { client } = denial
  const facts: [string, string | null][] = [
    [t.user, denial.user_key ?? t.noKey],
    [t.script, nameOfScript(names, denial.script_id)],
    [t.version, number(denial.script_version)],
    [t.valueName, denial.value],
    [
      t.nextTry,
      denial.allowed_at === null ? null : `${when(denial.allowed_at)}, ${exactly(denial.allowed_at)}`,
    ],
    [t.executor, client.executor],
    [t.runtime, client.runtime],
    [t.address, client.ip],
    [t.device, client.fingerprint],
    [t.count, t.times(denial.count)],
    [t.leftOutName, denial.left_out === 0 ? null : t.leftOut(denial.left_out)],
    [t.first, exactly(denial.first_at)],
    [t.last, exactly(denial.last_at)],
    [t.code, `${denial.reason} (${number(denial.code)})`],
  ]
  return facts.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '')
}
