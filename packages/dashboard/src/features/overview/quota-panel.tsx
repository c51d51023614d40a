/** Usage of the service tier's limits. */
import { v1AccountGet, v1TiersGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import styles from './overview.module.css'

const FRESH_MS = 60_000
const NEARLY = 0.9

type Quota = { readonly title: string; readonly used: number; readonly limit: number }

export function QuotaPanel() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['quotas'],
    queryFn: async () => {
      const account = (await v1AccountGet(call)).data.customer
      const { tier } = (await v1TiersGet({ ...call, path: { tier: account.tier } })).data
      return { account, tier }
    },
    staleTime: FRESH_MS,
  })
  const plan = query.data?.tier.name
  return (
    <Panel title={text.overview.quotas} {...(plan !== undefined && { hint: text.overview.quotasHint(plan) })}>
      <QueryBoundary query={query}>
        <ul className={styles.lines}>
          {query.data && quotasOf(query.data).map((quota) => <Line key={quota.title} {...quota} />)}
        </ul>
      </QueryBoundary>
    </Panel>
  )
}

type Used = {
  readonly account: Readonly<
    Record<
      'total_projects' | 'total_scripts' | 'total_users' | 'obfuscations_used' | 'total_ad_users',
      number
    >
  >
  readonly tier: Readonly<
    Record<'max_projects' | 'max_scripts' | 'max_users' | 'obfuscations' | 'max_ad_users', number>
  >
}

function quotasOf({ account, tier }: Used): Quota[] {
  const t = text.overview
  return [
    { title: t.quotaUsers, used: account.total_users, limit: tier.max_users },
    { title: t.quotaScripts, used: account.total_scripts, limit: tier.max_scripts },
    { title: t.quotaProjects, used: account.total_projects, limit: tier.max_projects },
    { title: t.quotaBuilds, used: account.obfuscations_used, limit: tier.obfuscations },
    ...(account.total_ad_users > 0
      ? [{ title: t.quotaAdUsers, used: account.total_ad_users, limit: tier.max_ad_users }]
      : []),
  ]
}

/** A negative limit means unlimited. */
function Line({ title, used, limit }: Quota) {
  const t = text.overview
  const share = limit < 0 ? 0 : Math.min(1, used / Math.max(1, limit))
  const isFull = share >= NEARLY
  return (
    <li className={isFull ? `${styles.quota} ${styles.full}` : styles.quota}>
      <span>
        {title}
        {isFull && ` · ${t.nearlyFull}`}
      </span>
      <span>{limit < 0 ? t.quotaFree(used) : t.quotaOf(used, limit)}</span>
      {limit >= 0 && (
        <i aria-hidden="true">
          <i style={{ width: `${share * 100}%` }} />
        </i>
      )}
    </li>
  )
}
