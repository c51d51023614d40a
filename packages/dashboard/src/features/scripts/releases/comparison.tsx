/** Shows both versions of a release side by side, with the guard's finding. */
import { text } from '../../../messages/text.ts'
import type { Release } from './queries.ts'
import styles from './releases.module.css'

const t = text.releases

export function Comparison({ release }: { release: Release }) {
  const { version, version_before, percent, health, health_before, finding } = release
  const tone = finding === null ? 'fresh' : finding.verdict === 'worse' ? 'worse' : 'suspicious'
  return (
    <>
      <ul className={styles.sides} aria-label={t.compared(version, version_before)}>
        <Side version={version} share={percent} health={health} tone={tone} />
        <Side version={version_before} share={100 - percent} health={health_before} tone="former" />
      </ul>
      {finding && <Found release={release} finding={finding} />}
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

type FoundProps = { readonly release: Release; readonly finding: NonNullable<Release['finding']> }

function Found({ release, finding }: FoundProps) {
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
    </div>
  )
}
