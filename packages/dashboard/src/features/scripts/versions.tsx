/** Versions of a script: the live one, build reports, sources and diffs. */
import { v1ScriptVersionsActivate } from '@scriptward/sdk'
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
import { type Script, SOURCE, useVersions, type Version, WRITE } from './queries.ts'
import { StartRelease } from './releases/start-release.tsx'
import styles from './scripts.module.css'
import { CompareDialog, ReportDialog, SourceDialog } from './version-dialogs.tsx'

type Props = { readonly script: Script; readonly onEdit: (tree: Tree) => void }
type Opened = { readonly what: 'report' | 'source' | 'compare' | 'release'; readonly version: number }

export function Versions({ script, onEdit }: Props) {
  const { query, rows, more, total } = useVersions(script.id)
  const [opened, setOpened] = useState<Opened>()
  const health = useHealth(script.id)
  const activate = useActivate(script)
  const close = () => setOpened(undefined)
  const given = { script, version: opened?.version ?? 0, onClose: close }
  return (
    <QueryBoundary query={query}>
      <ErrorMessage of={activate.error} />
      <Table
        label={text.scripts.versionsLabel}
        rows={rows}
        total={total}
        more={more}
        keyOf={({ version }) => String(version)}
        columns={[...COLUMNS, ...healthColumns(health.data)]}
        onOpen={({ version }) => setOpened({ what: 'report', version })}
        actions={({ version, active }) => (
          <Menu label={text.scripts.actionsOf(text.scripts.versionOf(version))}>
            <MenuItem onClick={() => setOpened({ what: 'report', version })}>
              {text.scripts.showReport}
            </MenuItem>
            <MenuItem needs={SOURCE} onClick={() => setOpened({ what: 'source', version })}>
              {text.scripts.showSource}
            </MenuItem>
            {!active && (
              <>
                <MenuItem needs={SOURCE} onClick={() => setOpened({ what: 'compare', version })}>
                  {text.scripts.compareWith}
                </MenuItem>
                <MenuItem needs={WRITE} onClick={() => activate.mutate(version)}>
                  {text.scripts.activate}
                </MenuItem>
                <MenuItem needs={WRITE} onClick={() => setOpened({ what: 'release', version })}>
                  {text.scripts.release}
                </MenuItem>
              </>
            )}
          </Menu>
        )}
      />
      <HealthByExecutor script={script} />
      {opened?.what === 'report' && <ReportDialog {...given} />}
      {opened?.what === 'source' && <SourceDialog {...given} onEdit={onEdit} />}
      {opened?.what === 'compare' && <CompareDialog {...given} />}
      {opened?.what === 'release' && <StartRelease {...given} />}
    </QueryBoundary>
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
    cell: ({ active }) => active && <Badge tone="good">{text.scripts.active}</Badge>,
  },
  { id: 'uploaded', title: text.scripts.uploaded, cell: ({ created_at }) => <Time at={created_at} /> },
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
