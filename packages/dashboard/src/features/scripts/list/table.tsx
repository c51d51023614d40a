/** The table of scripts, with a search and a filter for scripts that need attention. */
import { useState } from 'react'
import { Empty } from '../../../components/empty.tsx'
import { Segments } from '../../../components/fields/segments.tsx'
import { LoadedSearch, useLoadedSearch } from '../../../components/table/loaded-search.tsx'
import { Table } from '../../../components/table/table.tsx'
import { useSorting } from '../../../components/table/use-sorting.ts'
import { addressOf, useOpen } from '../../../lib/address.ts'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import type { useScripts } from '../queries.ts'
import { type Row, useActivity, useRows } from './activity.ts'
import { columnsOf } from './columns.tsx'
import { ScriptMenu } from './menu.tsx'
import { sorted } from './sort.ts'

const FILTERS = {
  all: () => true,
  rolling: ({ activity }: Row) => activity?.release != null,
  disabled: ({ enabled }: Row) => !enabled,
} as const
type Filter = keyof typeof FILTERS
const SHOWN = Object.keys(FILTERS) as Filter[]

export function ScriptsTable({ list }: { list: ReturnType<typeof useScripts> }) {
  const t = text.scripts.table
  const { id } = useProject()
  const rows = useRows(list.rows, useActivity(id).data)
  const sorting = useSorting()
  const open = useOpen()
  const [filter, setFilter] = useState<Filter>('all')
  const search = useLoadedSearch(rows.filter(FILTERS[filter]), list.more, ({ name, id }) => `${name} ${id}`)
  const options = SHOWN.map((one) => [one, t.filters[one](rows.filter(FILTERS[one]).length)] as const)
  return (
    <>
      <div className="bar between">
        <Segments label={t.filter} options={options} chosen={filter} onChoose={setFilter} />
        <LoadedSearch title={t.search} value={search.sought} onChange={search.setSought} />
      </div>
      {search.isNothing ? (
        <Empty title={text.frame.nothingFound} hint={t.nothingHint} />
      ) : (
        <Table
          label={text.scripts.list}
          rows={sorted(search.found, sorting)}
          sorting={sorting}
          onOpen={(row) => open(addressOf.script(id, row.id))}
          keyOf={(row) => row.id}
          columns={columnsOf(id)}
          total={list.total}
          more={list.more}
          actions={(row) => <ScriptMenu script={row} />}
        />
      )}
      <p className="hint">{t.crashFreeHint}</p>
    </>
  )
}
