/** Lists the releases that have ended, newest first. */
import { useState } from 'react'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { Panel } from '../../../components/panel.tsx'
import { type Column, Table } from '../../../components/table/table.tsx'
import type { useList } from '../../../components/table/use-list.ts'
import { Time } from '../../../components/time.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { number, percent } from '../../../lib/format.ts'
import { text } from '../../../messages/text.ts'
import { Comparison } from './comparison.tsx'
import { type Release, useEndedReleases } from './queries.ts'
import { ReleaseState } from './state.tsx'

const t = text.releases

export function EndedReleases({ scriptId }: { scriptId: string }) {
  return <EndedList list={useEndedReleases(scriptId)} scriptOf={() => scriptId} columns={ENDED_COLUMNS} />
}

type Props<Row extends Release> = {
  readonly list: ReturnType<typeof useList<Row>>
  /** Returns the ID of the release's script. */
  readonly scriptOf: (release: Row) => string
  readonly columns: readonly Column<Row>[]
}

/** Nothing is shown before the first release has ended. */
export function EndedList<Row extends Release>({ list, scriptOf, columns }: Props<Row>) {
  const { query, rows, total, more } = list
  const [shown, setShown] = useState<Row>()
  if (rows.length === 0 && !query.error) return null
  return (
    <Panel title={t.earlier}>
      <QueryBoundary query={query}>
        <Table
          label={t.earlier}
          rows={rows}
          keyOf={({ id }) => id}
          columns={columns}
          total={total}
          more={more}
          onOpen={setShown}
        />
      </QueryBoundary>
      {shown && <Ended scriptId={scriptOf(shown)} release={shown} onClose={() => setShown(undefined)} />}
    </Panel>
  )
}

/** Columns shared by all lists of ended releases. */
export const ENDED_COLUMNS: readonly Column<Release>[] = [
  { id: 'version', title: t.version, isMain: true, cell: ({ version }) => text.scripts.versionOf(version) },
  { id: 'channel', title: t.channel, cell: ({ channel }) => channel },
  { id: 'status', title: t.status, place: 'below', cell: (release) => <ReleaseState release={release} /> },
  {
    id: 'share',
    title: t.reached,
    place: 'end-below',
    isNumber: true,
    cell: (release) => t.shareOf(release.percent),
  },
  {
    id: 'customers',
    title: t.customersColumn,
    isNumber: true,
    cell: ({ health }) => number(health.customers),
  },
  {
    id: 'healthy',
    title: t.healthyColumn,
    isNumber: true,
    cell: ({ health }) => (health.healthy === null ? '–' : percent(health.healthy)),
  },
  { id: 'failed', title: t.failedColumn, isNumber: true, cell: ({ health }) => number(health.failed) },
  {
    id: 'ended',
    title: t.ended,
    place: 'end',
    cell: ({ ended_at }) => ended_at !== null && <Time at={ended_at} />,
  },
]

type EndedProps = { readonly scriptId: string; readonly release: Release; readonly onClose: () => void }

function Ended({ scriptId, release, onClose }: EndedProps) {
  const { version, channel, started_at, ended_at } = release
  return (
    <Dialog title={t.releaseTitle(version, channel)} onClose={onClose}>
      <ReleaseState release={release} />
      <p className="hint">
        {t.started} <Time at={started_at} />
        {ended_at !== null && (
          <>
            {' · '}
            {t.ended} <Time at={ended_at} />
          </>
        )}
      </p>
      <Comparison scriptId={scriptId} release={release} />
      <p className="hint">{t.failedHint}</p>
    </Dialog>
  )
}
