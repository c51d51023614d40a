/** Every run of a project: a chart of the outcomes, and the filtered list. */
import { PageTitle } from '../../components/page-title.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { periodIn } from '../../queries/outcomes.ts'
import { ExportButton } from './export.tsx'
import { LogList } from './log-list.tsx'
import styles from './logs.module.css'
import { OverTime } from './over-time.tsx'
import { OFFERED } from './queries.ts'
import { Sentence } from './sentence.tsx'
import { LogTabs } from './tabs.tsx'

export function LogsPage() {
  const [given, change] = useFilters()
  const period = periodIn(given.period, OFFERED, '24h')
  const isLive = given.live !== undefined
  return (
    <>
      <PageTitle title={text.frame.logs}>
        <button
          type="button"
          className={styles.live}
          aria-pressed={isLive}
          onClick={() => change({ live: isLive ? undefined : 'on', from: undefined, to: undefined })}
        >
          {text.logs.live}
        </button>
        <ExportButton period={period} />
      </PageTitle>
      <LogTabs current={given.outcome === 'crashed' ? 'crashes' : 'all'} />
      <Sentence period={period} />
      <OverTime period={period} />
      <LogList period={period} />
    </>
  )
}
