/** Dialogs about one backup. A restore runs on the command line, so its dialog contains the commands. */
import { type AdminBackupsListResponse, adminBackupsRemove } from '@scriptward/sdk'
import { Snippet } from '../../components/code/snippet.tsx'
import { ConfirmDialog, Dialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { exactly } from '../../lib/when.ts'
import { backupsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useSystem } from './queries.ts'

export type Backup = AdminBackupsListResponse['backups'][number]

export const GUIDE = '/guide/backup'
const t = backupsText

type Asked = { readonly onConfirm: () => Promise<unknown>; readonly onClose: () => void }

export function DownloadDialog(asked: Asked) {
  return (
    <ConfirmDialog title={t.downloadOpenTitle} words={t.downloadOpenWords} submit={t.download} {...asked} />
  )
}

type RemoveProps = { readonly backup: Backup; readonly isOnly: boolean; readonly onClose: () => void }

export function RemoveDialog({ backup: { name, made_at }, isOnly, onClose }: RemoveProps) {
  const call = useCall()
  const showToast = useToast()
  const remove = async () => {
    await adminBackupsRemove({ ...call, path: { backup_name: name } })
    showToast({ title: t.wasRemoved })
  }
  return (
    <ConfirmDialog
      title={t.removeTitle(exactly(made_at))}
      words={isOnly ? t.removeOnlyWords : t.removeWords}
      submit={t.removeSubmit}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}

type RestoreProps = { readonly backup: Backup; readonly folder: string; readonly onClose: () => void }

export function RestoreDialog({ backup, folder, onClose }: RestoreProps) {
  const query = useSystem()
  return (
    <Dialog title={t.restoreTitle(exactly(backup.made_at))} onClose={onClose} isWide>
      <QueryBoundary query={query}>
        {query.data && <Steps backup={backup} folder={folder} isSqlite={query.data.engine === 'SQLite'} />}
      </QueryBoundary>
      <div className="bar end">
        <button type="button" className="main" onClick={onClose}>
          {text.done}
        </button>
      </div>
    </Dialog>
  )
}

type StepsProps = { readonly backup: Backup; readonly folder: string; readonly isSqlite: boolean }

function Steps({ backup: { name, sealed }, folder, isSqlite }: StepsProps) {
  const file = quoted(`${folder}/${name}`)
  const key = sealed ? ' --private-key backup-keys.txt' : ''
  const target = isSqlite ? SQLITE : POSTGRES
  return (
    <>
      <p>{t.restoreIntro}</p>
      <ol className="stack">
        <li>
          <div className="stack tight">
            <p>{isSqlite ? t.restoreIntoFolder : t.restoreIntoDatabase}</p>
            <Snippet code={`${target}scriptward restore ${file}${key}`} label={t.restoreCommand} />
            {sealed && <p className="hint">{t.restorePassphrase}</p>}
          </div>
        </li>
        <li>{t.restoreStop}</li>
        <li>{isSqlite ? t.restoreSwitchFolder : t.restoreSwitchDatabase}</li>
      </ol>
      <p className="hint">
        {t.restoreLoss} <a href={GUIDE}>{t.guide}</a>
      </p>
    </>
  )
}

const SQLITE = 'export SCRIPTWARD_DATA_DIR="$PWD/restored"\n'
const POSTGRES =
  'createdb scriptward_restored\nexport SCRIPTWARD_DATABASE_URL=postgres://user:password@host/scriptward_restored\n'

/** Quotes a path for the shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
