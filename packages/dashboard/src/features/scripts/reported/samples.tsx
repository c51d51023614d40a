/** Lists an error's latest reports. */
import { Time } from '../../../components/time.tsx'
import { addressOf } from '../../../lib/address.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { shortKey } from '../../../lib/short-key.ts'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import type { ErrorDetail } from './queries.ts'
import styles from './reported.module.css'

type Sample = ErrorDetail['samples'][number]

export function Samples({ error: { samples } }: { error: ErrorDetail }) {
  const t = text.reported
  return (
    <section className="stack tight" aria-label={t.samples}>
      <h3>{t.samples}</h3>
      <ul className="rows" aria-label={t.samples}>
        {samples.map((sample, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a run can report the same error twice at the same time.
          <li key={i}>
            <One sample={sample} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function One({ sample }: { sample: Sample }) {
  const t = text.reported
  return (
    <div className="main-text">
      <div className="facts">
        <Time at={sample.reported_at} />
        <bdi>{t.sample(sample.version, sample.executor)}</bdi>
        <span>{sample.runtime}</span>
        <KeyOf sample={sample} />
      </div>
      <code className={styles.text} dir="auto">
        {sample.text}
      </code>
      {Object.keys(sample.tags).length > 0 && (
        <div className="facts">
          {Object.entries(sample.tags).map(([name, value]) => (
            <bdi key={name}>
              {name}: {value}
            </bdi>
          ))}
        </div>
      )}
    </div>
  )
}

/** Without permission to read users, runs with a key look the same as guest runs, so neither is labeled. */
function KeyOf({ sample: { user_key } }: { sample: Sample }) {
  const { id } = useProject()
  const isHidden = useRefusal('users:read') !== undefined
  if (isHidden) return null
  if (user_key === null) return <span>{text.reported.guest}</span>
  return (
    <a href={addressOf.user(id, user_key)}>
      <code>{shortKey(user_key)}</code>
    </a>
  )
}
