/** Denials: the log's view of denied runs, grouped by customer and reason. */
import { PageTitle } from '../../components/page-title.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { periodIn } from '../../queries/outcomes.ts'
import { OFFERED } from '../logs/queries.ts'
import { Sentence } from '../logs/sentence.tsx'
import { LogTabs } from '../logs/tabs.tsx'
import { AffectedExecutors } from './affected-executors.tsx'
import { DenialList } from './denial-list.tsx'
import { DeniedBy } from './denied-by.tsx'
import { ExportDenials } from './export.tsx'
import { OverTime } from './over-time.tsx'

export function DenialsPage() {
  const [given] = useFilters()
  const period = periodIn(given.period, OFFERED, '30d')
  return (
    <>
      <PageTitle title={text.frame.logs}>
        <ExportDenials period={period} />
      </PageTitle>
      <LogTabs current="denials" />
      <Sentence period={period} isDenials />
      <div className="two">
        <OverTime period={period} />
        <DeniedBy period={period} />
      </div>
      <AffectedExecutors />
      <DenialList period={period} />
    </>
  )
}
