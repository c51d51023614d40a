/** Additional endpoints of a project: events, health and actions. */
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { AdditionalForm } from './additional-form.tsx'
import { Health, SendTest, SigningSecret, StateBadge } from './health.tsx'
import { MAX_ADDITIONAL, useEditWebhook, useWebhooks, type Webhook } from './queries.ts'
import { RecoverDialog } from './recover-dialog.tsx'
import { NewSecret, RemoveAdditional } from './secret-and-removal.tsx'

const t = text.webhooks
const WRITE = 'webhooks:write'
type Deed = 'edit' | 'recover' | 'rotate' | 'remove'
type Open = 'new' | { readonly deed: Deed; readonly id: string }

export function MoreAddresses() {
  const query = useWebhooks()
  const [open, setOpen] = useState<Open | null>(null)
  const readsUsers = useRefusal('users:read')
  useDialogParam({ address: WRITE }, () => setOpen('new'))
  const additional = query.data?.filter(({ kind }) => kind === 'additional') ?? []
  const isFull = additional.length >= MAX_ADDITIONAL
  return (
    <Panel
      title={t.more}
      hint={t.moreHint}
      actions={
        <GuardedButton
          needs={WRITE}
          reason={readsUsers ?? (isFull ? t.moreFull : undefined)}
          onClick={() => setOpen('new')}
        >
          {t.addMore}
        </GuardedButton>
      }
    >
      <QueryBoundary query={query}>
        {additional.length === 0 ? (
          <Empty title={t.noMore} hint={t.noMoreHint} />
        ) : (
          <ul className="rows">
            {additional.map((webhook) => (
              <Row key={webhook.id} webhook={webhook} onOpen={(deed) => setOpen({ deed, id: webhook.id })} />
            ))}
          </ul>
        )}
      </QueryBoundary>
      <Opened open={open} all={additional} onClose={() => setOpen(null)} />
    </Panel>
  )
}

type OpenedProps = {
  readonly open: Open | null
  readonly all: readonly Webhook[]
  readonly onClose: () => void
}

function Opened({ open, all, onClose }: OpenedProps) {
  if (open === null) return null
  if (open === 'new') return <AdditionalForm webhook={undefined} onClose={onClose} />
  const webhook = all.find(({ id }) => id === open.id)
  if (webhook === undefined) return null
  const given = { webhook, onClose }
  if (open.deed === 'edit') return <AdditionalForm {...given} />
  const named = { ...given, name: webhook.name ?? '' }
  if (open.deed === 'recover') return <RecoverDialog {...named} />
  return open.deed === 'rotate' ? <NewSecret {...named} /> : <RemoveAdditional {...given} />
}

function Row({ webhook, onOpen }: { webhook: Webhook; onOpen: (deed: Deed) => void }) {
  const edit = useEditWebhook(webhook.id)
  const showToast = useToast()
  const name = webhook.name ?? webhook.id
  const toggle = () =>
    edit.mutate(
      { enabled: !webhook.enabled },
      { onSuccess: () => showToast({ title: webhook.enabled ? t.switchedOff : t.switchedOn }) },
    )
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{name}</strong>
          {webhook.enabled ? <StateBadge webhook={webhook} /> : <Badge tone="plain">{t.off}</Badge>}
          {webhook.format === 'chat' && <span className="badge plain">{t.chat}</span>}
        </div>
        <code>{webhook.address}</code>
        <Filters webhook={webhook} />
        {webhook.enabled && <Health webhook={webhook} />}
        {webhook.secret && webhook.format === 'generic' && <SigningSecret value={webhook.secret} />}
      </div>
      <div className="actions">
        <SendTest webhook={webhook} name={name} />
        <Menu label={t.actionsOf(name)}>
          <MenuItem needs={WRITE} onClick={() => onOpen('edit')}>
            {t.edit}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={() => onOpen('recover')}>
            {t.recover}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={() => onOpen('rotate')}>
            {t.rotate}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={toggle}>
            {webhook.enabled ? t.switchOff : t.switchOn}
          </MenuItem>
          <MenuItem needs={WRITE} isDanger onClick={() => onOpen('remove')}>
            {text.remove}
          </MenuItem>
        </Menu>
      </div>
      <ErrorMessage of={edit.error} />
    </li>
  )
}

function Filters({ webhook: { events, scripts, waiting } }: { webhook: Webhook }) {
  const { id } = useProject()
  const names = useScriptNames(id)
  return (
    <div className="facts">
      <span>
        {events === null ? t.allEvents : t.someEvents(events.length, events.slice(0, 3).join(', '))}
      </span>
      {scripts !== null && (
        <span>{t.onlyScripts(scripts.map((one) => names.get(one) ?? one).join(', '))}</span>
      )}
      {waiting > 0 && <span>{t.waiting(waiting)}</span>}
    </div>
  )
}
