/** Both versions of a release side by side, and the guard's finding. */
import { addressOf, withQuery } from '../../../lib/address.ts'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import type { Release } from './queries.ts'
import styles from './releases.module.css'

const t = text.releases

type Props = { readonly scriptId: string; readonly release: Release }

export function Comparison({ scriptId, release }: Props) {
  const { version, version_before, percent, health, health_before, finding } = release
  const tone = finding === null ? 'fresh' : finding.verdict === 'worse' ? 'worse' : 'suspicious'
  return (
    <>
      <ul className={styles.sides} aria-label={t.compared(version, version_before)}>
        <Side version={version} share={percent} health={health} tone={tone} />
        <Side version={version_before} share={100 - percent} health={health_before} tone="former" />
      </ul>
      {finding && <Found scriptId={scriptId} release={release} finding={finding} />}
    </>
  )
}

type SideProps = {
  readonly version: number
  readonly share: number
  readonly health: Release['health']
  readonly tone: 'fresh' | 'suspicious' | 'worse' | 'former'
}

function Side({ version, share, health: { customers, healthy, failed }, tone }: SideProps) {
  return (
    <li>
      <strong>{text.scripts.versionOf(version)}</strong>
      <span className={styles.share}>{t.shareOf(share)}</span>
      <i aria-hidden="true">
        <i className={styles[tone]} style={{ width: `${share}%` }} />
      </i>
      <span className={styles.facts}>
        <span>{customers === 0 ? t.noCustomers : t.ran(customers)}</span>
        {healthy !== null && <span>{t.healthy(healthy)}</span>}
        {customers > 0 && <span>{t.failed(failed)}</span>}
      </span>
    </li>
  )
}

type FoundProps = Props & { readonly finding: NonNullable<Release['finding']> }

function Found({ scriptId, release, finding }: FoundProps) {
  const { id } = useProject()
  const errors = { tab: 'reported', version: String(release.version) }
  const isHeld = release.held && release.ended_at === null
  return (
    <div className={`${styles.finding} ${finding.verdict === 'worse' ? styles.bad : ''}`}>
      <p>
        {isHeld && <strong>{t.holds(release.percent)} </strong>}
        {t.finding(release, finding)} {t.chance(finding.chance)}
      </p>
      {finding.executors.length > 0 && (
        <ul aria-label={t.affected}>
          {finding.executors.map(({ executor, customers, failed }) => (
            <li key={executor}>
              <bdi>{executor || text.scripts.unknownExecutor}</bdi>
              <span className="hint">{t.affectedOf(failed, customers)}</span>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={withQuery(addressOf.script(id, scriptId), errors)}>{t.errorsOf(release.version)}</a>
      </p>
    </div>
  )
}
