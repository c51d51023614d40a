import { Badge } from '../../../components/badge.tsx'
import { Sparkline } from '../../../components/chart/sparkline.tsx'
import { CrashFree } from '../../../components/crash-free.tsx'
import { Pair } from '../../../components/table/pair.tsx'
import type { Column } from '../../../components/table/table.tsx'
import { Time } from '../../../components/time.tsx'
import { addressOf } from '../../../lib/address.ts'
import { bytes, number, percent } from '../../../lib/format.ts'
import { text } from '../../../messages/text.ts'
import { type Activity, type Row, weekOf } from './activity.ts'
import styles from './list.module.css'

/** Minimum change to show. Smaller changes are noise. */
const MIN_CHANGE = 0.0005

const t = text.scripts.table

export function columnsOf(projectId: string): readonly Column<Row>[] {
  return [
    {
      id: 'name',
      title: t.script,
      isMain: true,
      isLink: true,
      sort: { by: 'name' },
      cell: (row) => <Name row={row} projectId={projectId} />,
    },
    {
      id: 'version',
      title: t.version,
      place: 'below',
      cell: (row) => <Version row={row} projectId={projectId} />,
    },
    {
      id: 'crash-free',
      title: t.crashFree,
      isNumber: true,
      place: 'end',
      sort: { by: 'crash-free' },
      cell: ({ activity }) => crashFree(activity),
    },
    {
      id: 'runs',
      title: t.runs,
      place: 'end-below',
      sort: { by: 'runs', isDescending: true },
      cell: ({ activity }) => activity && <Runs of={activity} />,
    },
    {
      id: 'running',
      title: t.running,
      isNumber: true,
      sort: { by: 'running', isDescending: true },
      cell: ({ activity }) => running(activity),
    },
    {
      id: 'uploaded',
      title: t.uploaded,
      sort: { by: 'uploaded', isDescending: true },
      cell: ({ activity }) => activity?.uploaded_at != null && <Time at={activity.uploaded_at} />,
    },
  ]
}

function Name({ row, projectId }: { row: Row; projectId: string }) {
  const { activity } = row
  const about = [
    activity?.preset != null && t.preset(activity.preset),
    activity?.source_bytes != null && bytes(activity.source_bytes),
  ].filter((part) => part !== false)
  return (
    <Pair below={about.join(', ')}>
      <span className={styles.title}>
        <a href={addressOf.script(projectId, row.id)} data-open>
          <bdi>{row.name}</bdi>
        </a>
        {!row.enabled && <Badge tone="plain">{text.scripts.disabled}</Badge>}
        {row.free_for_all && <Badge tone="plain">{text.scripts.freeForAll}</Badge>}
      </span>
    </Pair>
  )
}

function Version({ row: { id, version, activity }, projectId }: { row: Row; projectId: string }) {
  const release = activity?.release
  if (!release) return <span className={styles.version}>{t.forEveryone(version)}</span>
  const { percent: share, held, state } = release
  return (
    <a className={styles.release} href={`${addressOf.script(projectId, id)}?tab=releases`}>
      <span>
        <strong>{t.versionAt(release.version, share)}</strong>{' '}
        <span className="hint">{t.versionAt(release.version_before, 100 - share)}</span>
      </span>
      <span className={held ? styles.held : styles.share} aria-hidden="true">
        <i style={{ width: `${share}%` }} />
      </span>
      {(held || state === 'paused') && (
        <span className="hint">{held ? text.releases.states.held : text.releases.states.paused}</span>
      )}
    </a>
  )
}

function crashFree(activity: Activity | undefined) {
  if (!activity) return null
  const { crashFree: share, change } = weekOf(activity)
  if (share === null) return <span className="hint">{text.health.none}</span>
  return (
    <span className={styles.stacked}>
      <CrashFree share={share} />
      {change !== null && Math.abs(change) >= MIN_CHANGE && (
        <span className={change < 0 ? styles.fell : 'hint'}>
          <span aria-hidden="true">{change < 0 ? '▼' : '▲'}</span>
          <span className="unseen-text">{change < 0 ? t.down : t.up}</span> {percent(Math.abs(change))}
        </span>
      )}
    </span>
  )
}

function Runs({ of }: { of: Activity }) {
  const { runs } = weekOf(of)
  if (runs === 0) return <span className="hint">{text.health.none}</span>
  return (
    <span className={styles.runs}>
      <Sparkline values={of.days.map((day) => day.runs)} />
      {number(runs)}
    </span>
  )
}

function running(activity: Activity | undefined) {
  if (!activity) return null
  return <span className={activity.running > 0 ? styles.running : 'hint'}>{number(activity.running)}</span>
}
