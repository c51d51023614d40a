/** Users by status. Counting reads every user, so the panel is rarely refreshed. */
import { USER_STATUSES, type UserStatus } from '@scriptward/client/user-statuses'
import { v1ProjectUsersCounts } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Bars } from '../../components/chart/bars.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

const MINUTE_MS = 60_000
const COLORS: Readonly<Partial<Record<UserStatus, 'accent' | 'warn' | 'bad'>>> = {
  ...{ active: 'accent', blacklisted: 'bad' },
  ...{ quota_spent: 'warn', grace: 'warn', expired: 'warn' },
}
/** Other statuses are shown only if they occur. */
const USUAL: ReadonlySet<string> = new Set(['active', 'unused', 'expired', 'blacklisted'])

export function UsersPanel() {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: ['users by status', id],
    queryFn: async () => (await v1ProjectUsersCounts({ ...call, path: { project_id: id } })).data.counts,
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
  const counts = query.data
  const shown = USER_STATUSES.filter((status) => USUAL.has(status) || (counts?.[status] ?? 0) > 0)
  const isNone = counts !== undefined && Object.values(counts).every((count) => count === 0)
  return (
    <Panel title={text.overview.users} hint={text.overview.usersHint}>
      <QueryBoundary query={query}>
        {isNone ? (
          <p className="hint">{text.overview.noUsers}</p>
        ) : (
          <Bars
            label={text.overview.users}
            bars={shown.map((status) => ({
              id: status,
              title: (
                <a href={addressOf.project(id, 'users', { status })}>{text.overview.statuses[status]}</a>
              ),
              value: counts?.[status] ?? 0,
              color: COLORS[status] ?? 'soft',
            }))}
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}
