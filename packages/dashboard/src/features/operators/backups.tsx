/** Shows the backup status and files, and creates a backup on demand. */
import { type AdminBackupsListResponse, adminBackupsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Snippet } from '../../components/code/snippet.tsx'
import { FigureCard } from '../../components/figure-card.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { bytes, number } from '../../lib/format.ts'
import { backupsText } from '../../messages/en/operators.ts'
import { sentence, useCall } from '../../queries/api.ts'
import { GUIDE } from './backup-dialogs.tsx'
import { BackupFiles } from './backup-files.tsx'

type Listed = AdminBackupsListResponse

const CALM_MS = 30_000
const RUNNING_MS = 2000

export function Backups() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['operators', 'backups'],
    queryFn: async () => (await adminBackupsList(call)).data,
    refetchInterval: ({ state }) => (state.data?.running ? RUNNING_MS : CALM_MS),
  })
  return (
    <QueryBoundary query={query}>
      {query.data && (
        <>
          <Figures of={query.data} />
          <LastFailure of={query.data} />
          <BackupFiles of={query.data} />
          <Missing of={query.data} />
          <p className="hint">
            {backupsText.restoreHint} <a href={GUIDE}>{backupsText.guide}</a>
          </p>
        </>
      )}
    </QueryBoundary>
  )
}

function Figures({ of: { last, next_at, every, sealed, backups, keep } }: { of: Listed }) {
  const t = backupsText
  const size = backups.reduce((sum, each) => sum + each.bytes, 0)
  return (
    <div className="figures">
      <FigureCard
        title={t.last}
        value={last === null ? t.never : <Time at={last.made_at} />}
        {...(last !== null && last.machine !== null && { change: t.onMachine(last.machine) })}
      />
      <FigureCard title={t.next} value={next_at === null ? t.notByItself : <Due at={next_at} />} />
      <FigureCard
        title={t.stored}
        value={number(backups.length)}
        change={every === null ? undefined : t.of(keep)}
      />
      <FigureCard title={t.size} value={bytes(size)} />
      <FigureCard title={t.encrypted} value={sealed ? t.yes : t.no} />
    </div>
  )
}

/** The job runs every minute, so a due backup may start some seconds late. */
function Due({ at }: { at: number }) {
  return at <= Date.now() ? backupsText.due : <Time at={at} />
}

function LastFailure({ of: { last, last_error, last_error_at, running } }: { of: Listed }) {
  if (running || last_error === null || last_error_at === null) return null
  if (last !== null && last.made_at > last_error_at) return null
  return (
    <div className="notice warn" role="status">
      <div>
        <strong>{backupsText.failed}</strong> <Time at={last_error_at} />
        <p>{sentence(last_error)}</p>
      </div>
    </div>
  )
}

/** The missing settings, ready to copy. */
function Missing({ of: { every, sealed } }: { of: Listed }) {
  const t = backupsText
  return (
    <>
      {every === null && (
        <Panel title={t.byTime} hint={t.byTimeHint}>
          <Snippet code={BY_TIME} label="SCRIPTWARD_BACKUP_EVERY" />
        </Panel>
      )}
      {!sealed && (
        <Panel title={t.encrypt} hint={t.encryptHint}>
          <Snippet code="scriptward backup-keys" label={t.encryptCommand} />
          <p className="hint">{t.encryptThen}</p>
          <Snippet code="SCRIPTWARD_BACKUP_PUBLIC_KEY=age1…" label="SCRIPTWARD_BACKUP_PUBLIC_KEY" />
        </Panel>
      )}
    </>
  )
}

const BY_TIME = [
  'SCRIPTWARD_BACKUP_EVERY=6h',
  'SCRIPTWARD_BACKUP_KEEP=14',
  'SCRIPTWARD_BACKUP_DIR=/mnt/other-disk/scriptward',
].join('\n')
