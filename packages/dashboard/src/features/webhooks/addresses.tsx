/** The three built-in endpoints of a project: health, secrets and actions. */
import { type ReactNode, useState } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { AddressForm } from './address-form.tsx'
import { Health, SendTest, SigningSecret, StateBadge } from './health.tsx'
import { KINDS, type Kind, useSaveAddress, useWebhooks, type Webhook } from './queries.ts'
import { RecoverDialog } from './recover-dialog.tsx'
import { NewSecret } from './secret-and-removal.tsx'

const t = text.webhooks
const WRITE = 'webhooks:write'
/** Field of the project for each endpoint. */
const ASKED: Readonly<Record<Kind, string>> = {
  execution: 'projects:write',
  information: 'projects:write',
  blacklist: 'projects:write',
}
type Open = { readonly kind: Kind; readonly deed: 'edit' | 'remove' | 'recover' | 'rotate' }

export function Addresses() {
  const query = useWebhooks()
  const [open, setOpen] = useState<Open | null>(null)
  useDialogParam(ASKED, (kind) => setOpen({ kind, deed: 'edit' }))
  const found = (kind: Kind) => query.data?.find((each) => each.kind === kind)
  const close = () => setOpen(null)
  return (
    <Panel title={t.addresses} hint={t.addressesHint}>
      <QueryBoundary query={query}>
        <ul className="rows">
          {KINDS.map((kind) => (
            <Address key={kind} kind={kind} webhook={found(kind)} onOpen={setOpen} />
          ))}
        </ul>
      </QueryBoundary>
      {open && query.data && <Opened open={open} webhook={found(open.kind)} onClose={close} />}
    </Panel>
  )
}

type OpenedProps = {
  readonly open: Open
  readonly webhook: Webhook | undefined
  readonly onClose: () => void
}

function Opened({ open: { kind, deed }, webhook, onClose }: OpenedProps) {
  if (deed === 'edit') return <AddressForm kind={kind} now={webhook?.address ?? ''} onClose={onClose} />
  if (deed === 'remove') return <Removal kind={kind} waiting={webhook?.waiting ?? 0} onClose={onClose} />
  if (webhook === undefined) return null
  const given = { webhook, name: t.kinds[kind], onClose }
  return deed === 'rotate' ? <NewSecret {...given} /> : <RecoverDialog {...given} />
}

type Props = {
  readonly kind: Kind
  readonly webhook: Webhook | undefined
  readonly onOpen: (open: Open) => void
}

function Address({ kind, webhook, onOpen }: Props) {
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{t.kinds[kind]}</strong>
          {webhook && <StateBadge webhook={webhook} />}
          {webhook?.format === 'chat' && <span className="badge plain">{t.chat}</span>}
        </div>
        {webhook ? <code>{webhook.address}</code> : <span className="hint">{t.none}</span>}
        <div className="facts">
          <span>{t.kindHints[kind]}</span>
          {webhook && webhook.waiting > 0 && <span>{t.waiting(webhook.waiting)}</span>}
        </div>
        {webhook && <Health webhook={webhook} />}
        {webhook?.secret && webhook.format === 'generic' && <SigningSecret value={webhook.secret} />}
      </div>
      <Actions kind={kind} webhook={webhook} onOpen={onOpen} />
    </li>
  )
}

function Actions({ kind, webhook, onOpen }: Props): ReactNode {
  const reason = useRefusal('projects:write')
  const name = t.kinds[kind]
  if (!webhook)
    return (
      <div className="actions">
        <GuardedButton
          needs={WRITE}
          reason={reason}
          aria-label={t.addOf(name)}
          onClick={() => onOpen({ kind, deed: 'edit' })}
        >
          {t.add}
        </GuardedButton>
      </div>
    )
  return (
    <div className="actions">
      <SendTest webhook={webhook} name={name} />
      <GuardedButton
        needs={WRITE}
        aria-label={t.recoverOf(name)}
        onClick={() => onOpen({ kind, deed: 'recover' })}
      >
        {t.recover}
      </GuardedButton>
      {webhook.format === 'generic' && (
        <GuardedButton
          needs={WRITE}
          aria-label={t.rotateOf(name)}
          onClick={() => onOpen({ kind, deed: 'rotate' })}
        >
          {t.rotate}
        </GuardedButton>
      )}
      <GuardedButton
        needs={WRITE}
        reason={reason}
        aria-label={t.editOf(name)}
        onClick={() => onOpen({ kind, deed: 'edit' })}
      >
        {t.edit}
      </GuardedButton>
      <GuardedButton
        needs={WRITE}
        reason={reason}
        className="danger"
        aria-label={t.removeOf(name)}
        onClick={() => onOpen({ kind, deed: 'remove' })}
      >
        {text.remove}
      </GuardedButton>
    </div>
  )
}

function Removal({ kind, waiting, onClose }: { kind: Kind; waiting: number; onClose: () => void }) {
  const save = useSaveAddress(kind)
  const showToast = useToast()
  const remove = async () => {
    await save.mutateAsync('')
    showToast({ title: t.removed })
  }
  return (
    <ConfirmDialog
      title={t.removeTitle(t.kinds[kind])}
      words={t.removeWords(waiting)}
      submit={text.remove}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
