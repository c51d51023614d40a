/** Earlier traces: the customer, script and version of each copy, and the team member who traced it. */
import { actorName } from '../../components/audit/audit-line.ts'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { customerName } from '../../lib/customer-name.ts'
import { useRefusal } from '../../lib/rights.ts'
import { leaksText as t } from '../../messages/en/leaks.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { type Traced, useTraces } from './queries.ts'
import { TraceDrawer } from './trace-drawer.tsx'

export function EarlierTraces() {
  const refusal = useRefusal('users:read')
  return (
    <Panel title={t.earlier} hint={t.earlierHint}>
      {refusal === undefined ? <List /> : <p className="hint">{refusal}</p>}
    </Panel>
  )
}

function List() {
  const { id } = useProject()
  const { query, rows, more } = useTraces(id)
  const [{ trace }, change] = useFilters()
  return (
    <>
      <QueryBoundary query={query}>
        {rows.length === 0 ? (
          <p className="hint">{t.none}</p>
        ) : (
          <Table
            label={t.earlier}
            rows={rows}
            keyOf={(traced) => traced.id}
            columns={COLUMNS}
            more={more}
            onOpen={(traced) => change({ trace: traced.id })}
          />
        )}
      </QueryBoundary>
      {trace !== undefined && <TraceDrawer id={trace} onClose={() => change({ trace: undefined })} />}
    </>
  )
}

const COLUMNS: readonly Column<Traced>[] = [
  { id: 'found', title: t.found, isMain: true, cell: (traced) => <Found traced={traced} /> },
  {
    id: 'script',
    title: t.script,
    place: 'below',
    cell: ({ script_name, users: [best] }) => (
      <>
        <bdi>{script_name}</bdi>
        {best && ` ${text.scripts.versionOf(best.version)}`}
      </>
    ),
  },
  {
    id: 'confidence',
    title: t.confidence,
    isNumber: true,
    place: 'end-below',
    cell: ({ users: [best] }) => (best === undefined ? '' : t.percent(best.confidence)),
  },
  { id: 'by', title: t.by, cell: ({ actor }) => <bdi>{actorName(actor, new Map())}</bdi> },
  {
    id: 'when',
    title: t.when,
    isNumber: true,
    place: 'end',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

function Found({ traced: { users, matches } }: { traced: Traced }) {
  const [best] = users
  if (best === undefined) return <span className="hint">{text.scripts.traceNothing}</span>
  return (
    <>
      <bdi>{best.user_key === null ? text.scripts.guest : customerName(best)}</bdi>
      {matches > 1 && ` ${t.others(matches - 1)}`}
      {!best.named && (
        <>
          {' '}
          <Badge tone="warn">{t.uncertain}</Badge>
        </>
      )}
    </>
  )
}
