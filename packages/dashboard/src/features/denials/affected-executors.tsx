/** Executors that cannot run device-locked keys because they expose nothing that identifies a device. */
import { v1ProjectDenialsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Bars } from '../../components/chart/bars.tsx'
import { Panel } from '../../components/panel.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

/** Hidden if there are no such executors. Errors are shown in the list below. */
export function AffectedExecutors() {
  const t = text.denials
  const call = useCall()
  const { id } = useProject()
  const [, change] = useFilters()
  const query = useQuery({
    queryKey: ['denials', id, 'executors'],
    queryFn: async () => {
      const { data } = await v1ProjectDenialsList({ ...call, path: { project_id: id } })
      return data.executors_without_device
    },
  })
  if (!query.data || query.data.length === 0) return null
  return (
    <Panel title={t.affectedTitle} hint={t.affectedHint}>
      <Bars
        label={t.affectedTitle}
        bars={query.data.map(({ executor, users }) => ({
          id: executor,
          title: (
            <button
              type="button"
              className="link"
              onClick={() => change({ reason: 'fingerprint_missing', executor })}
            >
              {executor}
            </button>
          ),
          value: users,
          color: 'warn',
        }))}
      />
    </Panel>
  )
}
