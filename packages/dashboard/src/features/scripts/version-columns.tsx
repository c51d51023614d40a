/** Columns of the version list. Everything else about a version is in its drawer. */
import { Badge } from '../../components/badge.tsx'
import { CrashFree } from '../../components/crash-free.tsx'
import { Pair } from '../../components/table/pair.tsx'
import type { Column } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { bytes, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { authorName } from './author-name.ts'
import type { Health } from './health.tsx'
import type { Version } from './queries.ts'
import { type Release, STABLE } from './releases/queries.ts'
import styles from './scripts.module.css'

export function versionColumns(
  health: readonly Health[] | undefined,
  releases: readonly Release[] | undefined,
): readonly Column<Version>[] {
  const t = text.scripts
  const of = (version: number) => health?.find((one) => one.version === version)
  const staged = (version: number) =>
    releases?.find((one) => one.version === version && one.channel === STABLE)?.percent
  return [
    {
      id: 'version',
      title: t.version,
      isMain: true,
      cell: (row) => (
        <span className={styles.title}>
          {t.versionOf(row.version)} <State row={row} percent={staged(row.version)} />
        </span>
      ),
    },
    {
      id: 'uploaded',
      title: t.uploaded,
      place: 'below',
      cell: ({ created_at, author }) => (
        <Pair below={author === null ? null : <span className={styles.author}>{authorName(author)}</span>}>
          <Time at={created_at} />
        </Pair>
      ),
    },
    {
      id: 'preset',
      title: t.protection,
      cell: ({ preset }) => <span className={styles.preset}>{preset}</span>,
    },
    {
      id: 'size',
      title: t.protectedSize,
      isNumber: true,
      cell: ({ protected_bytes }) => bytes(protected_bytes),
    },
    {
      id: 'runs',
      title: text.health.runs,
      isNumber: true,
      place: 'end-below',
      cell: ({ version }) => number(of(version)?.runs ?? 0),
    },
    {
      id: 'crash-free',
      title: text.health.crashFree,
      isNumber: true,
      place: 'end',
      cell: ({ version }) => <CrashFree share={of(version)?.crash_free_customers ?? null} />,
    },
  ]
}

type StateProps = { readonly row: Version; readonly percent: number | undefined }

function State({ row: { active, yanked_at }, percent }: StateProps) {
  const t = text.scripts
  if (active) return <Badge tone="good">{t.active}</Badge>
  if (yanked_at !== null) return <Badge tone="bad">{t.yanked}</Badge>
  return percent !== undefined && <Badge tone="warn">{t.staged(percent)}</Badge>
}
