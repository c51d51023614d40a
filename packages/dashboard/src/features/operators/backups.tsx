/** Backup status and files, and creating a backup now. */
import { type AdminBackupsListResponse, adminBackupsList, adminBackupsMake } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Snippet } from '../../components/code/snippet.tsx'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { FigureCard } from '../../components/figure-card.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { bytes, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { sentence, useCall, useChange } from '../../queries/api.ts'

type Listed = AdminBackupsListResponse
type Backup = Listed['backups'][number]

const CALM_MS = 30_000
const RUNNING_MS = 2000
const GUIDE = '/guide/backup'

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
          <Files of={query.data} />
          <Missing of={query.data} />
          <p className="hint">
            {text.backups.restoreHint} <a href={GUIDE}>{text.backups.guide}</a>
          </p>
        </>
      )}
    </QueryBoundary>
  )
}

function Figures({ of: { last, next_at, every, sealed, backups, keep } }: { of: Listed }) {
  const t = text.backups
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
  return at <= Date.now() ? text.backups.due : <Time at={at} />
}

function LastFailure({ of: { last, last_error, last_error_at, running } }: { of: Listed }) {
  if (running || last_error === null || last_error_at === null) return null
  if (last !== null && last.made_at > last_error_at) return null
  return (
    <div className="notice warn" role="status">
      <div>
        <strong>{text.backups.failed}</strong> <Time at={last_error_at} />
        <p>{sentence(last_error)}</p>
      </div>
    </div>
  )
}

function Files({ of }: { of: Listed }) {
  const t = text.backups
  const call = useCall()
  const showToast = useToast()
  const make = useChange(async () => {
    const { backup } = (await adminBackupsMake(call)).data
    showToast({ title: t.wasMade(bytes(backup.bytes)) })
  })
  const isBusy = make.isPending || of.running
  return (
    <section className="stack tight">
      <div className="bar between">
        <h2>{t.files}</h2>
        <button type="button" className="main" onClick={() => make.mutate(undefined)} disabled={isBusy}>
          {isBusy ? t.running : t.makeOne}
        </button>
      </div>
      <ErrorMessage of={make.error} />
      {of.backups.length === 0 ? (
        <Empty title={t.none} hint={t.noneHint} />
      ) : (
        <>
          <p className="hint">
            {t.where} <code>{of.folder}</code>
          </p>
          <Table
            label={t.files}
            rows={of.backups}
            keyOf={({ name }) => name}
            columns={COLUMNS}
            total={of.backups.length}
          />
        </>
      )}
    </section>
  )
}

const COLUMNS: readonly Column<Backup>[] = [
  { id: 'made', title: text.backups.made, isMain: true, cell: ({ made_at }) => <Time at={made_at} /> },
  { id: 'size', title: text.backups.size, isNumber: true, cell: ({ bytes: size }) => bytes(size) },
  { id: 'kind', title: text.backups.kind, cell: (backup) => <Kind of={backup} /> },
  { id: 'name', title: text.backups.file, cell: ({ name }) => <code>{name}</code> },
]

function Kind({ of: { sealed, before_migration } }: { of: Backup }) {
  const t = text.backups
  return (
    <span className="bar">
      <Badge tone={sealed ? 'good' : 'warn'}>{sealed ? t.isEncrypted : t.isOpen}</Badge>
      {before_migration !== null && <Badge tone="plain">{t.before(before_migration)}</Badge>}
    </span>
  )
}

/** The missing settings, ready to copy. */
function Missing({ of: { every, sealed } }: { of: Listed }) {
  const t = text.backups
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
