/** A project's overview. Projects without runs get a guided setup instead. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Segments } from '../../components/fields/segments.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useFilters } from '../../lib/address.ts'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { periodIn } from '../../queries/outcomes.ts'
import { projectQuery, useProject } from '../../queries/projects.ts'
import { CrashBanner, useRegression } from '../scripts/regression/crash-banner.tsx'
import { Figures } from './figures.tsx'
import { NewestDenials } from './newest-denials.tsx'
import { OutcomesPanel, WhyPanel } from './outcome-panels.tsx'
import styles from './overview.module.css'
import { QuotaPanel } from './quota-panel.tsx'
import { SetUp } from './set-up/set-up.tsx'
import { UsersPanel } from './users-panel.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

/**
 * Project data older than this is loaded again. Returning from another page takes longer, so it always
 * reloads the data.
 */
const FRESH_MS = 100
const OFFERED = ['24h', '7d', '30d'] as const

export function OverviewPage() {
  const mayLead = [useRefusal('scripts:read'), useRefusal('users:read')].every((why) => why === undefined)
  const [isNew, endNew] = useIsNew()
  if (!mayLead || isNew === false) return <Overview />
  if (isNew === undefined) return <Skeleton rows={3} />
  return <SetUp onEnd={endNew} />
}

/**
 * This is decided when the page opens, so that the setup can show the first run. The value is undefined while
 * loading.
 */
function useIsNew() {
  const { id, total_executions } = useProject()
  const [isNew, setIsNew] = useState(total_executions > 0 ? false : undefined)
  // Other pages cache the project, possibly from before its first run.
  const { data, isFetching } = useQuery({
    ...projectQuery(useCall(), id),
    enabled: isNew === undefined,
    staleTime: FRESH_MS,
  })
  useEffect(() => {
    if (isNew === undefined && data && !isFetching) setIsNew(data.total_executions === 0)
  }, [isNew, data, isFetching])
  return [isNew, () => setIsNew(false)] as const
}

function Overview() {
  const { name } = useProject()
  const [given, change] = useFilters()
  const period = periodIn(given.period, OFFERED, '24h')
  const mayReadScripts = useRefusal('scripts:read') === undefined
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
      {mayReadScripts && <Regression />}
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

const Regression = () => <CrashBanner found={useRegression()} />
