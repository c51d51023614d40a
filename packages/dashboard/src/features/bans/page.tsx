/** A project's blocked devices, networks and Discord accounts. */
import { v1BansRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { RowActions } from '../../components/row-actions.tsx'
import { Time } from '../../components/time.tsx'
import { UserLink } from '../../components/user-link.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import type { Named } from '../../lib/customer-name.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useCustomerNames } from '../../queries/customer-names.ts'
import { useProject } from '../../queries/projects.ts'
import { useCounts } from '../users/queries.ts'
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
      <BlockedUsers />
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

/** The list excludes blocked users, because their blocks don't concern a device, network or account. */
function BlockedUsers() {
  const { id } = useProject()
  const count = useCounts().data?.blacklisted ?? 0
  if (count === 0) return null
  return (
    <p>
      <a href={addressOf.project(id, 'users', { status: 'blacklisted' })}>{text.bans.blockedUsers(count)}</a>
    </p>
  )
}

function Bans({ rows, onRemove }: { rows: readonly Ban[]; onRemove: (ban: Ban) => void }) {
  const [, change] = useFilters()
  const nameOf = useCustomerNames(rows.map(({ user_key }) => user_key))
  return (
    <ul className="rows lines" aria-label={text.bans.list}>
      {rows.map((ban) => (
        <BanRow
          key={ban.id}
          ban={ban}
          named={nameOf(ban.user_key)}
          onEdit={() => change({ ban: ban.id })}
          onRemove={() => onRemove(ban)}
        />
      ))}
    </ul>
  )
}

type RowProps = {
  readonly ban: Ban
  readonly named: Named
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function BanRow({ ban, named, onEdit, onRemove }: RowProps) {
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
              {t.takenFrom}{' '}
              <UserLink projectId={id} userKey={user_key} note={named.note} chatId={named.chat_id} />
            </span>
          )}
        </div>
      </div>
      <RowActions
        of={value}
        actions={[
          { label: t.edit, name: text.itsName(t.edit, value), needs: WRITE, onClick: onEdit },
          {
            label: t.remove,
            name: text.itsName(t.remove, value),
            needs: WRITE,
            isDanger: true,
            onClick: onRemove,
          },
        ]}
      />
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
