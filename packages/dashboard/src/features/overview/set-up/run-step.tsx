/** Step three: instructions for running the script with the key, and the result. */

import { Loaders } from '../../../components/loaders.tsx'
import { addressOf } from '../../../lib/address.ts'
import { type Denial, reasonText, remediesOf } from '../../../lib/denials.ts'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import { useFirstRun } from './first-run.ts'
import styles from './set-up.module.css'

type Script = { readonly id: string; readonly name: string }
type Props = { readonly script: Script; readonly userKey: string; readonly onEnd: () => void }

export function RunStep({ script, userKey, onEnd }: Props) {
  const { id } = useProject()
  const { arrived, denial } = useFirstRun(id, userKey)
  return (
    <>
      {!arrived && <Loaders script={script} userKey={userKey} />}
      {!arrived && denial && <Denied denial={denial} />}
      {arrived ? <Arrived executor={arrived.executor} onEnd={onEnd} /> : <StillWaiting />}
    </>
  )
}

function StillWaiting() {
  return (
    <p className={styles.waiting} role="status">
      <i aria-hidden="true" />
      {text.overview.setUp.waiting}
    </p>
  )
}

function Denied({ denial }: { denial: Denial }) {
  const t = text.overview.setUp
  const { id } = useProject()
  const { title, happened, todo } = reasonText(denial.reason)
  return (
    <div className="notice warn" role="alert">
      <div className="stack tight">
        <strong>{t.deniedTitle(title)}</strong>
        <p>
          {happened} {todo}
        </p>
        <p className="hint">{t.stillWaiting}</p>
      </div>
      <div className="bar">
        {remediesOf(id, denial).map(({ title: name, href }) => (
          <a key={href} className="button" href={href}>
            {name}
          </a>
        ))}
        <a className="button" href={addressOf.project(id, 'denials')}>
          {t.seeDenials}
        </a>
      </div>
    </div>
  )
}

function Arrived({ executor, onEnd }: { executor: string | null; onEnd: () => void }) {
  const t = text.overview.setUp
  const { id } = useProject()
  return (
    <div className="notice good" role="status">
      <div className="stack tight">
        <strong>{t.arrived}</strong>
        <p>
          {executor !== null && `${t.arrivedOn(executor)} `}
          {t.arrivedHint}
        </p>
      </div>
      <div className="bar">
        <a className="button" href={addressOf.project(id, 'users')}>
          {t.moreKeys}
        </a>
        <button type="button" className="main" onClick={onEnd}>
          {t.toOverview}
        </button>
      </div>
    </div>
  )
}
