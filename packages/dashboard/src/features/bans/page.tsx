/** Blocked devices, networks and Discord accounts of a project. */
import { v1BansRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import { shortKey } from '../../lib/short-key.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { EditBan } from './edit-ban.tsx'
import { NewBan } from './new-ban.tsx'
import { type Ban, KINDS, useBans } from './queries.ts'

const WRITE = 'users:write'

export function BansPage() {
  const t = text.bans
  const [given, change] = useFilters()
  const kind = KINDS.find((each) => each === given.kind)
  const { query, rows, more } = useBans(kind)
  const [isNew, setIsNew] = useState(false)
  const [removed, setRemoved] = useState<Ban | null>(null)
  const isEmpty = rows.length === 0 && kind === undefined
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setIsNew(true)}>
      {t.newBan}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.frame.bans} intro={t.intro}>
        {!isEmpty && add}
      </PageTitle>
      {!isEmpty && (
        <Segments
          label={t.kind}
          options={[['all', t.all], ...KINDS.map((each) => [each, t.kinds[each]] as const)]}
          chosen={kind ?? 'all'}
          onChoose={(chosen) => change({ kind: chosen === 'all' ? undefined : chosen })}
        />
      )}
      <QueryBoundary query={query}>
        {isEmpty && (
          <Empty title={t.noneTitle} hint={t.noneHint}>
            {add}
          </Empty>
        )}
        {rows.length === 0 && !isEmpty && (
          <Empty title={text.frame.nothingFound} hint={text.frame.nothingFoundHint} />
        )}
        {rows.length > 0 && <Bans rows={rows} onRemove={setRemoved} />}
        {more && (
          <div className="bar">
            <button type="button" onClick={more.load} disabled={more.isLoading}>
              {text.more}
            </button>
          </div>
        )}
      </QueryBoundary>
      {isNew && <NewBan onClose={() => setIsNew(false)} />}
      {given.ban !== undefined && <EditBan id={given.ban} onClose={() => change({ ban: undefined })} />}
      {removed && <RemoveBan ban={removed} onClose={() => setRemoved(null)} />}
    </>
  )
}

function Bans({ rows, onRemove }: { rows: readonly Ban[]; onRemove: (ban: Ban) => void }) {
  const [, change] = useFilters()
  return (
    <ul className="rows" aria-label={text.bans.list}>
      {rows.map((ban) => (
        <BanRow
          key={ban.id}
          ban={ban}
          onEdit={() => change({ ban: ban.id })}
          onRemove={() => onRemove(ban)}
        />
      ))}
    </ul>
  )
}

type RowProps = { readonly ban: Ban; readonly onEdit: () => void; readonly onRemove: () => void }

function BanRow({ ban, onEdit, onRemove }: RowProps) {
  const t = text.bans
  const { id } = useProject()
  const { kind, value, reason, user_key, expires, created_at } = ban
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <code>{value}</code>
          <Badge tone="plain">{t.kinds[kind]}</Badge>
        </div>
        {reason !== null && <div dir="auto">{reason}</div>}
        <div className="facts">
          <span>
            <Time at={created_at} />
          </span>
          <span>
            {expires === null ? (
              t.never
            ) : (
              <>
                {t.endsAt} <Time at={expires} />
              </>
            )}
          </span>
          {user_key !== null && (
            <span>
              {t.takenFrom} <a href={addressOf.user(id, user_key)}>{shortKey(user_key)}</a>
            </span>
          )}
        </div>
      </div>
      <div className="actions">
        <RowButton needs={WRITE} label={t.edit} of={value} onClick={onEdit} />
        <RowButton needs={WRITE} label={t.remove} of={value} isDanger onClick={onRemove} />
      </div>
    </li>
  )
}

function RemoveBan({ ban, onClose }: { ban: Ban; onClose: () => void }) {
  const call = useCall()
  const { id } = useProject()
  return (
    <ConfirmDialog
      title={text.bans.removeTitle(ban.value)}
      words={text.bans.removeWords}
      submit={text.bans.remove}
      onConfirm={() => v1BansRemove({ ...call, path: { project_id: id, ban_id: ban.id } })}
      onClose={onClose}
    />
  )
}
