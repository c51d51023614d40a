/** Versions of a script: the live one, build reports, sources and diffs. */
import { v1ScriptVersionsActivate, v1ScriptVersionsUnyank, v1ScriptVersionsYank } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useUndo } from '../../components/overlays/use-undo.ts'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { bytes } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Tree } from './files-field.tsx'
import { HealthByExecutor, healthColumns, useHealth } from './health.tsx'
import { NotesDialog } from './notes-dialog.tsx'
import { type Script, SOURCE, useVersions, type Version, WRITE } from './queries.ts'
import { StartRelease } from './releases/start-release.tsx'
import styles from './scripts.module.css'
import { CompareDialog, ReportDialog, SourceDialog } from './version-dialogs.tsx'

type Props = { readonly script: Script; readonly onEdit: (tree: Tree) => void }
type Opened = {
  readonly what: 'report' | 'source' | 'compare' | 'release' | 'notes'
  readonly version: number
}

export function Versions({ script, onEdit }: Props) {
  const { query, rows, more, total } = useVersions(script.id)
  const [opened, setOpened] = useState<Opened>()
  const health = useHealth(script.id)
  const activate = useActivate(script)
  const yank = useYank(script)
  const close = () => setOpened(undefined)
  const noted = opened?.what === 'notes' ? rows.find((row) => row.version === opened.version) : undefined
  const given = { script, version: opened?.version ?? 0, onClose: close }
  return (
    <QueryBoundary query={query}>
      <ErrorMessage of={activate.error ?? yank.error} />
      <Table
        label={text.scripts.versionsLabel}
        rows={rows}
        total={total}
        more={more}
        keyOf={({ version }) => String(version)}
        columns={[...COLUMNS, ...healthColumns(health.data)]}
        onOpen={({ version }) => setOpened({ what: 'report', version })}
        actions={(row) => (
          <Actions
            row={row}
            isOnly={rows.length < 2}
            onOpen={(what) => setOpened({ what, version: row.version })}
            onActivate={() => activate.mutate(row.version)}
            onYank={() => yank.mutate({ n: row.version, isYanked: row.yanked_at === null })}
          />
        )}
      />
      <HealthByExecutor script={script} />
      {opened?.what === 'report' && <ReportDialog {...given} />}
      {opened?.what === 'source' && <SourceDialog {...given} onEdit={onEdit} />}
      {opened?.what === 'release' && <StartRelease {...given} />}
      {opened?.what === 'compare' && <CompareDialog {...given} others={rows} />}
      {noted && <NotesDialog script={script} version={noted} onClose={close} />}
    </QueryBoundary>
  )
}

type ActionsProps = {
  readonly row: Version
  /** Whether there is no other version to compare it with. */
  readonly isOnly: boolean
  readonly onOpen: (what: Opened['what']) => void
  readonly onActivate: () => void
  readonly onYank: () => void
}

function Actions({ row: { version, active, yanked_at }, isOnly, onOpen, onActivate, onYank }: ActionsProps) {
  const t = text.scripts
  const isYanked = yanked_at !== null
  return (
    <Menu label={t.actionsOf(t.versionOf(version))}>
      <MenuItem onClick={() => onOpen('report')}>{t.showReport}</MenuItem>
      <MenuItem needs={SOURCE} onClick={() => onOpen('source')}>
        {t.showSource}
      </MenuItem>
      {!isOnly && (
        <MenuItem needs={SOURCE} onClick={() => onOpen('compare')}>
          {t.compareWith}
        </MenuItem>
      )}
      <MenuItem needs={WRITE} onClick={() => onOpen('notes')}>
        {t.editNotes}
      </MenuItem>
      {!active && !isYanked && (
        <>
          <MenuItem needs={WRITE} onClick={onActivate}>
            {t.activate}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={() => onOpen('release')}>
            {t.release}
          </MenuItem>
        </>
      )}
      {!active && (
        <MenuItem needs={WRITE} onClick={onYank}>
          {isYanked ? t.unyank : t.yank}
        </MenuItem>
      )}
    </Menu>
  )
}

const COLUMNS: readonly Column<Version>[] = [
  {
    id: 'version',
    title: text.scripts.version,
    isMain: true,
    cell: ({ version }) => text.scripts.versionOf(version),
  },
  {
    id: 'state',
    title: text.scripts.state,
    cell: ({ active, yanked_at }) => stateOf(active, yanked_at),
  },
  {
    id: 'uploaded',
    title: text.scripts.uploaded,
    cell: ({ created_at, author }) => (
      <>
        <Time at={created_at} />
        {author !== null && <span className={styles.author}>{text.scripts.uploadedBy(author)}</span>}
      </>
    ),
  },
  {
    id: 'notes',
    title: text.scripts.notes,
    cell: ({ notes }) => notes !== null && <span className={styles.notes}>{notes.split('\n', 1)[0]}</span>,
  },
  {
    id: 'preset',
    title: text.scripts.protection,
    cell: ({ preset }) => <span className={styles.preset}>{preset}</span>,
  },
  {
    id: 'source',
    title: text.scripts.sourceSize,
    isNumber: true,
    cell: ({ source_bytes }) => bytes(source_bytes),
  },
  {
    id: 'protected',
    title: text.scripts.protectedSize,
    isNumber: true,
    cell: ({ protected_bytes }) => bytes(protected_bytes),
  },
]

function stateOf(active: boolean, yankedAt: number | null) {
  if (active) return <Badge tone="good">{text.scripts.active}</Badge>
  return yankedAt !== null && <Badge tone="bad">{text.scripts.yanked}</Badge>
}

/** Activates another version, with undo. */
function useActivate(script: Script) {
  const call = useCall()
  const showToast = useToast()
  const set = (n: number) => v1ScriptVersionsActivate({ ...call, path: { script_id: script.id, n } })
  const back = useUndo(set)
  return useChange(async (n: number) => {
    const before = script.version
    await set(n)
    showToast({ title: text.scripts.activated(n), undo: () => back(before) })
  })
}

type Yank = { readonly n: number; readonly isYanked: boolean }

/** Yanks a version or undoes that. Each can be undone. */
function useYank(script: Script) {
  const call = useCall()
  const showToast = useToast()
  const set = ({ n, isYanked }: Yank) => {
    const path = { script_id: script.id, n }
    return isYanked ? v1ScriptVersionsYank({ ...call, path }) : v1ScriptVersionsUnyank({ ...call, path })
  }
  const back = useUndo(set)
  return useChange(async (given: Yank) => {
    await set(given)
    const t = text.scripts
    const title = given.isYanked ? t.yankedDone(given.n) : t.unyankedDone(given.n)
    showToast({ title, undo: () => back({ ...given, isYanked: !given.isYanked }) })
  })
}
