/** Versions of a script, with build reports, sources and diffs. Marks the live version. */
import { v1ScriptVersionsUnyank, v1ScriptVersionsYank } from '@scriptward/sdk'
import { useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useActivate } from './activate.ts'
import type { Tree } from './files-field.tsx'
import { HealthByExecutor, useHealth } from './health.tsx'
import { NotesDialog } from './notes-dialog.tsx'
import { type Script, SOURCE, useVersions, type Version, WRITE } from './queries.ts'
import { useOpenReleases } from './releases/queries.ts'
import { StartRelease } from './releases/start-release.tsx'
import { versionColumns } from './version-columns.tsx'
import { CompareDialog, SourceDialog } from './version-dialogs.tsx'
import { VersionDrawer } from './version-drawer.tsx'

type Props = { readonly script: Script; readonly onEdit: (tree: Tree) => void }
type Opened = {
  readonly what: 'report' | 'source' | 'compare' | 'release' | 'notes'
  readonly version: number
}

export function Versions({ script, onEdit }: Props) {
  const { query, rows, more, total } = useVersions(script.id)
  const [opened, setOpened] = useState<Opened>()
  const health = useHealth(script.id)
  const releases = useOpenReleases(script.id)
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
        columns={versionColumns(health.data, releases.data)}
        onOpen={({ version }) => setOpened({ what: 'report', version })}
        actions={(row) => (
          <Actions
            row={row}
            live={script.version}
            isOnly={rows.length < 2}
            onOpen={(what) => setOpened({ what, version: row.version })}
            onActivate={() => activate.mutate(row.version)}
            onYank={() => yank.mutate({ n: row.version, isYanked: row.yanked_at === null })}
          />
        )}
      />
      <HealthByExecutor script={script} />
      {opened?.what === 'report' && <VersionDrawer {...given} health={health.data} />}
      {opened?.what === 'source' && <SourceDialog {...given} onEdit={onEdit} />}
      {opened?.what === 'release' && <StartRelease {...given} />}
      {opened?.what === 'compare' && <CompareDialog {...given} others={rows} />}
      {noted && <NotesDialog script={script} version={noted} onClose={close} />}
    </QueryBoundary>
  )
}

type ActionsProps = {
  readonly row: Version
  /** Number of the live version. */
  readonly live: number
  /** Whether there is no version to compare this one with. */
  readonly isOnly: boolean
  readonly onOpen: (what: Opened['what']) => void
  readonly onActivate: () => void
  readonly onYank: () => void
}

function Actions({ row, live, isOnly, onOpen, onActivate, onYank }: ActionsProps) {
  const { version, active, yanked_at } = row
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
            {version < live ? t.rollBack : t.activate}
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

type Yank = { readonly n: number; readonly isYanked: boolean }

/** Yanks a version, or reverts a yank. Both can be undone. */
function useYank(script: Script) {
  const call = useCall()
  const showToast = useToast()
  const set = ({ n, isYanked }: Yank) => {
    const path = { script_id: script.id, n }
    return isYanked ? v1ScriptVersionsYank({ ...call, path }) : v1ScriptVersionsUnyank({ ...call, path })
  }
  const { mutateAsync: back } = useChange(set)
  return useChange(async (given: Yank) => {
    await set(given)
    const t = text.scripts
    const title = given.isYanked ? t.yankedDone(given.n) : t.unyankedDone(given.n)
    showToast({ title, undo: () => back({ ...given, isYanked: !given.isYanked }) })
  })
}
