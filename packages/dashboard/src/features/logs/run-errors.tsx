/** The errors that a run reported, each with a link to its group. */
import { v1ScriptErrorsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, withQuery } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { PlaceOf, StateBadge } from '../scripts/reported/place.tsx'
import type { Run } from './queries.ts'

const SHOWN = 20
/** Reports are grouped a few seconds after they arrive. */
const FRESH_MS = 5000

export function RunErrors({ run }: { run: Run }) {
  const t = text.logs
  const call = useCall()
  const { id: project } = useProject()
  const query = useQuery({
    queryKey: ['script', run.script_id, 'errors of a run', run.id],
    queryFn: async () => {
      const given = { path: { script_id: run.script_id }, query: { exec: run.id, limit: SHOWN } }
      return (await v1ScriptErrorsList({ ...call, ...given })).data
    },
    refetchInterval: FRESH_MS,
  })
  const { errors = [], total = 0 } = query.data ?? {}
  const script = addressOf.script(project, run.script_id)
  return (
    <section className="stack tight" aria-label={t.errors}>
      <h3>{t.errors}</h3>
      <QueryBoundary query={query}>
        {errors.length === 0 ? (
          <p className="hint">{run.outcome === 'crashed' ? t.crashedWithout : t.noErrors}</p>
        ) : (
          <ul className="rows" aria-label={t.errors}>
            {errors.map((error) => (
              <li key={error.id}>
                <div className="main-text">
                  <a href={withQuery(script, { tab: 'reported', error: error.id })} dir="auto">
                    {error.message}
                  </a>
                  <div className="facts">
                    <PlaceOf place={error.place} />
                    <StateBadge of={error} />
                  </div>
                </div>
              </li>
            ))}
          </ul>
        )}
        {total > errors.length && <p className="hint">{t.moreErrors(total - errors.length)}</p>}
      </QueryBoundary>
    </section>
  )
}
