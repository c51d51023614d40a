/** The backups on this machine: creating, downloading, restoring and removing them. */
import { type AdminBackupsListResponse, adminBackupsDownload, adminBackupsMake } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { bytes } from '../../lib/format.ts'
import { exactly } from '../../lib/when.ts'
import { backupsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type Backup, DownloadDialog, RemoveDialog, RestoreDialog } from './backup-dialogs.tsx'

type Listed = AdminBackupsListResponse
type Open = { readonly kind: 'download' | 'restore' | 'remove'; readonly backup: Backup }

export function BackupFiles({ of }: { of: Listed }) {
  const t = backupsText
  const call = useCall()
  const showToast = useToast()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const make = useChange(async () => {
    const { backup } = (await adminBackupsMake(call)).data
    showToast({ title: t.wasMade(bytes(backup.bytes)) })
  })
  const download = useChange(async ({ name: backup_name }: Backup) => {
    const { url } = (await adminBackupsDownload({ ...call, path: { backup_name } })).data
    follow(url)
    showToast({ title: t.downloadStarted })
  })
  const choose = (kind: Open['kind'], backup: Backup) => {
    if (kind === 'download' && backup.sealed) download.mutate(backup)
    else setOpen({ kind, backup })
  }
  const isBusy = make.isPending || of.running
  return (
    <section className="stack tight">
      <div className="bar between">
        <h2>{t.files}</h2>
        <button type="button" className="main" onClick={() => make.mutate(undefined)} disabled={isBusy}>
          {isBusy ? t.running : t.makeOne}
        </button>
      </div>
      <ErrorMessage of={make.error ?? download.error} />
      {of.backups.length === 0 ? (
        <Empty title={t.none} hint={t.noneHint} />
      ) : (
        <>
          <p className="hint">
            {t.where} <code>{of.folder}</code>. {t.verified}
          </p>
          <Table
            label={t.files}
            rows={of.backups}
            keyOf={({ name }) => name}
            columns={COLUMNS}
            total={of.backups.length}
            actions={(backup) => <Actions backup={backup} onChoose={choose} />}
          />
        </>
      )}
      {open?.kind === 'download' && (
        <DownloadDialog onConfirm={() => download.mutateAsync(open.backup)} onClose={close} />
      )}
      {open?.kind === 'restore' && <RestoreDialog backup={open.backup} folder={of.folder} onClose={close} />}
      {open?.kind === 'remove' && (
        <RemoveDialog backup={open.backup} isOnly={of.backups.length === 1} onClose={close} />
      )}
    </section>
  )
}

/**
 * Lets the browser save the file, so that it is not held in memory. The page may have a different host than
 * the URL.
 */
function follow(url: string): void {
  const link = document.createElement('a')
  link.href = new URL(url).pathname
  link.download = ''
  link.click()
}

const COLUMNS: readonly Column<Backup>[] = [
  { id: 'made', title: backupsText.made, isMain: true, cell: ({ made_at }) => <Time at={made_at} /> },
  {
    id: 'size',
    title: backupsText.size,
    place: 'end',
    isNumber: true,
    cell: ({ bytes: size }) => bytes(size),
  },
  { id: 'kind', title: backupsText.kind, cell: (backup) => <Kind of={backup} /> },
  { id: 'name', title: backupsText.file, place: 'below', cell: ({ name }) => <code>{name}</code> },
]

function Kind({ of: { sealed, before_migration } }: { of: Backup }) {
  const t = backupsText
  return (
    <span className="bar">
      <Badge tone={sealed ? 'good' : 'warn'}>{sealed ? t.isEncrypted : t.isOpen}</Badge>
      {before_migration !== null && <Badge tone="plain">{t.before(before_migration)}</Badge>}
    </span>
  )
}

function Actions({
  backup,
  onChoose,
}: {
  backup: Backup
  onChoose: (kind: Open['kind'], backup: Backup) => void
}) {
  const t = backupsText
  return (
    <Menu label={text.itsName(text.frame.actions, exactly(backup.made_at))}>
      <MenuItem onClick={() => onChoose('download', backup)}>{t.download}</MenuItem>
      <MenuItem onClick={() => onChoose('restore', backup)}>{t.restore}</MenuItem>
      <MenuItem isDanger onClick={() => onChoose('remove', backup)}>
        {t.remove}
      </MenuItem>
    </Menu>
  )
}
