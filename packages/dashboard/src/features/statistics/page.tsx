import { Segments } from '../../components/fields/segments.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { periodIn } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { ExecutorsPanel } from './executors-panel.tsx'
import { OutcomesPanel, ReasonsPanel } from './outcomes-panel.tsx'
import { ScriptsPanel } from './scripts-panel.tsx'
import styles from './statistics.module.css'

const OFFERED = ['7d', '30d', '90d', '200d'] as const

export function StatisticsPage() {
  const t = text.statistics
  const { id } = useProject()
  const [given, change] = useFilters()
  const period = periodIn(given.period, OFFERED, '30d')
  const names = useScriptNames(id)
  const script = given.script
  return (
    <>
      <PageTitle title={text.frame.statistics} intro={t.intro}>
        <Segments
          label={t.period}
          options={OFFERED.map((each) => [each, t.periods[each]])}
          chosen={period}
          onChoose={(chosen) => change({ period: chosen })}
        />
      </PageTitle>
      <FilterBar
        label={t.filters}
        filters={[{ name: 'script', title: t.script, ...(names.size > 0 && { options: [...names] }) }]}
      />
      <ScriptsPanel period={period} script={script} />
      <OutcomesPanel period={period} script={script} />
      <div className={styles.even}>
        <ExecutorsPanel script={script} />
        <ReasonsPanel period={period} script={script} />
      </div>
    </>
  )
}
