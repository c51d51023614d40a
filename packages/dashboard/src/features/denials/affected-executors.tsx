/** Executors that cannot run device-locked keys because they expose nothing that identifies a device. */
import { Bars } from '../../components/chart/bars.tsx'
import { Panel } from '../../components/panel.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { useAffectedExecutors } from './queries.ts'

/** Hidden if there are no such executors. Errors are shown in the list below. */
export function AffectedExecutors() {
  const t = text.denials
  const { id } = useProject()
  const [, change] = useFilters()
  const query = useAffectedExecutors(id)
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
