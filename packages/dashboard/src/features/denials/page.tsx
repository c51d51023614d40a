import { Segments } from '../../components/fields/segments.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { periodIn } from '../../queries/outcomes.ts'
import { AffectedExecutors } from './affected-executors.tsx'
import { DenialList } from './denial-list.tsx'
import { DeniedBy } from './denied-by.tsx'
import { OverTime } from './over-time.tsx'

const OFFERED = ['24h', '7d', '30d'] as const

export function DenialsPage() {
  const [given, change] = useFilters()
  const period = periodIn(given.period, OFFERED, '30d')
  return (
    <>
      <PageTitle title={text.frame.denials} intro={text.denials.intro}>
        <Segments
          label={text.denials.period}
          options={OFFERED.map((each) => [each, text.denials.periods[each]])}
          chosen={period}
          onChoose={(chosen) => change({ period: chosen })}
        />
      </PageTitle>
      <div className="two">
        <OverTime period={period} />
        <DeniedBy period={period} />
      </div>
      <AffectedExecutors />
      <DenialList period={period} />
    </>
  )
}
