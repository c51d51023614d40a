/** The latest denials and how to fix them. */
import { v1ProjectDenialsFilter } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { customerName } from '../../lib/customer-name.ts'
import { type Denial, keyOfDenial, reasonText, remediesOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import styles from './overview.module.css'

const SHOWN = 5
const FRESH_MS = 10_000

export function NewestDenials() {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: ['denials', id, 'newest'],
    queryFn: async () => {
      const given = { path: { project_id: id }, query: { limit: SHOWN } }
      return (await v1ProjectDenialsFilter({ ...call, ...given })).data.denials
    },
    refetchInterval: FRESH_MS,
  })
  return (
    <Panel
      title={text.overview.newest}
      actions={<a href={addressOf.project(id, 'denials')}>{text.overview.allDenials}</a>}
    >
      <QueryBoundary query={query}>
        {query.data?.length === 0 ? (
          <p className="hint">{text.overview.noDenials}</p>
        ) : (
          <ul className={styles.denials}>
            {query.data?.map((denial) => (
              <Line key={keyOfDenial(denial)} denial={denial} />
            ))}
          </ul>
        )}
      </QueryBoundary>
    </Panel>
  )
}

function Line({ denial }: { denial: Denial }) {
  const { id } = useProject()
  const { title, todo } = reasonText(denial.reason)
  const [remedy] = remediesOf(id, denial)
  const who = <bdi>{customerName(denial)}</bdi>
  return (
    <li>
      <span>
        <a href={addressOf.project(id, 'denials', { reason: denial.reason })}>{title}</a> · {who}
        {denial.count > 1 && ` · ${text.denials.times(denial.count)}`}
      </span>
      <span className="hint">
        <Time at={denial.last_at} />
      </span>
      <p className="hint">
        {todo} {remedy && <a href={remedy.href}>{remedy.title}</a>}
      </p>
    </li>
  )
}
