/** Lists of things, and what is said where one is empty, on its way or lost. */
import { useState } from 'react'
import { number } from '../../format.ts'
import { AuditLog, useAuditLog } from '../../parts/audit-log.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Complaint } from '../../parts/complaint.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { BulkBar } from '../../parts/table/bulk-bar.tsx'
import { useColumns } from '../../parts/table/column-menu.tsx'
import { FilterBar } from '../../parts/table/filter-bar.tsx'
import { LoadedSearch } from '../../parts/table/loaded-search.tsx'
import { type Column, ShownOf, Table } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'
import { ARABIC, AT, FAILING, FAILURE, LOADING, LONG, REFUSAL, ROWS, type Row, SHORT } from './samples.ts'
import { Part, State } from './specimen.tsx'

const t = text.catalogue
const none = () => {}

export function Lists() {
  return (
    <>
      <Tables />
      <Filters />
      <Badges />
      <Empties />
      <Complaints />
      <Log />
    </>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', title: text.name, isMain: true, cell: ({ name }) => name },
  { id: 'state', title: text.device, cell: () => <Badge tone="good">{t.state}</Badge> },
  { id: 'runs', title: text.executions, isNumber: true, cell: ({ runs }) => number(runs) },
  { id: 'at', title: text.expires, cell: ({ at }) => <Time at={at} /> },
]

function Tables() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['row-1', 'row-2']))
  const { columns, menu } = useColumns('catalogue', COLUMNS)
  const selection = { chosen, onChange: setChosen }
  const keyOf = ({ id }: Row) => id
  return (
    <Part name="table" isWide>
      <State of="full">
        <div className="bar between">
          <ShownOf shown={ROWS.length} total={18_204} />
          {menu}
        </div>
        <Table
          label={t.title}
          rows={ROWS}
          keyOf={keyOf}
          columns={columns}
          selection={selection}
          onOpen={none}
          actions={({ name }) => (
            <Menu label={name}>
              <MenuItem onClick={none}>{text.reset}</MenuItem>
            </Menu>
          )}
        />
        <BulkBar selection={selection}>
          <button type="button">{text.reset}</button>
        </BulkBar>
      </State>
      <State of="loading">
        <Table
          label={text.loading}
          rows={ROWS.slice(0, 1)}
          keyOf={keyOf}
          columns={COLUMNS}
          more={{ isLoading: true, load: none }}
        />
      </State>
    </Part>
  )
}

function Filters() {
  const [sought, setSought] = useState('')
  return (
    <Part name="filter-bar" isWide>
      <State of="full">
        <FilterBar
          label={t.title}
          search={{ name: 'sought', title: text.name }}
          filters={[
            { name: 'state', title: text.device, options: [['a', SHORT]] },
            { name: 'note', title: text.note },
            { name: 'day', title: text.expires, type: 'date' },
          ]}
        />
        <LoadedSearch title={text.key} value={sought} onChange={setSought} />
      </State>
    </Part>
  )
}

function Badges() {
  return (
    <Part name="badge">
      <State of="full">
        <div className="bar">
          {(['good', 'warn', 'bad', 'plain'] as const).map((tone) => (
            <Badge key={tone} tone={tone}>
              {SHORT}
            </Badge>
          ))}
        </div>
      </State>
      <State of="rtl">
        <Badge tone="good">{ARABIC}</Badge>
      </State>
    </Part>
  )
}

function Empties() {
  return (
    <Part name="empty">
      <State of="empty">
        <Empty title={t.nothing} hint={t.hint}>
          <button type="button" className="main">
            {text.retry}
          </button>
        </Empty>
      </State>
      <State of="loading">
        <Skeleton />
        <Waiting asked={LOADING}>{null}</Waiting>
      </State>
      <State of="failing">
        <Waiting asked={FAILING}>{null}</Waiting>
      </State>
      <State of="long">
        <Empty title={LONG} hint={LONG} />
      </State>
      <State of="rtl">
        <Empty title={ARABIC} hint={ARABIC} />
      </State>
    </Part>
  )
}

function Complaints() {
  return (
    <Part name="complaint">
      <State of="failing">
        <Complaint of={FAILURE} />
      </State>
      <State of="disabled">
        <Complaint of={REFUSAL} />
      </State>
    </Part>
  )
}

const ENTRIES = [SHORT, LONG, ARABIC].map((name, index) => ({
  id: `aud_${index}`,
  created_at: AT,
  actor: { kind: 'person', id: 'psn_1', name } as const,
  network: null,
  request_id: '',
  action: 'v1.projects.edit',
  nouns: { project_id: 'prj_1' },
  changes: { name: { before: SHORT, after: name } },
  count: null,
  n: index,
  hash: null,
}))

function Log() {
  const { log, entries } = useAuditLog('catalogue', async () => ({ entries: ENTRIES, next: null }))
  return (
    <Part name="audit-log" isWide>
      <State of="full">
        <AuditLog log={log} entries={entries} />
      </State>
    </Part>
  )
}
