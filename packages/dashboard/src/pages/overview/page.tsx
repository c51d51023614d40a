/** What happens in a project: figures first, then why. A project that never ran anything is led to its first run. */
import { useState } from 'react'
import { useFilters } from '../../address.ts'
import { periodIn } from '../../outcomes.ts'
import { PageTitle } from '../../parts/page-title.tsx'
import { Segments } from '../../parts/segments.tsx'
import { useProject } from '../../projects.ts'
import { useRefusal } from '../../rights.ts'
import { text } from '../../text/text.ts'
import { Figures } from './figures.tsx'
import { NewestDenials } from './newest-denials.tsx'
import { OutcomesPanel, WhyPanel } from './outcome-panels.tsx'
import styles from './overview.module.css'
import { QuotaPanel } from './quota-panel.tsx'
import { SetUp } from './set-up/set-up.tsx'
import { UsersPanel } from './users-panel.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

const OFFERED = ['24h', '7d', '30d'] as const

export function OverviewPage() {
  const project = useProject()
  const mayLead = [useRefusal('scripts:read'), useRefusal('users:read')].every((why) => why === undefined)
  const [isNew, setIsNew] = useState(project.total_executions === 0)
  if (isNew && mayLead) return <SetUp onEnd={() => setIsNew(false)} />
  return <Overview />
}

function Overview() {
  const { name } = useProject()
  const [given, change] = useFilters()
  const period = periodIn(given.period, OFFERED, '24h')
  return (
    <>
      <PageTitle title={text.frame.overview} intro={name}>
        <Segments
          label={text.overview.period}
          options={OFFERED.map((each) => [each, text.overview.periods[each]])}
          chosen={period}
          onChoose={(chosen) => change({ period: chosen })}
        />
      </PageTitle>
      <Figures period={period} />
      <div className="two">
        <OutcomesPanel period={period} />
        <WhyPanel period={period} />
      </div>
      <div className={styles.three}>
        <UsersPanel />
        <WebhooksPanel />
        <QuotaPanel />
      </div>
      <NewestDenials />
    </>
  )
}
