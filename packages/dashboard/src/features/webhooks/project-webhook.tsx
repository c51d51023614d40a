/** A project's three built-in webhooks, with their health, secrets and actions. */
import type { ReactNode } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { RowActions } from '../../components/row-actions.tsx'
import { useIsPhone } from '../../lib/narrow.ts'
import { useRefusal } from '../../lib/rights.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { text } from '../../messages/text.ts'
import { AddressForm } from './address-form.tsx'
import { Health, SigningSecret, StateBadge, useSendTest } from './health.tsx'
import { type Kind, useSaveAddress, type Webhook } from './queries.ts'
import { RecoverDialog } from './recover-dialog.tsx'
import { NewSecret } from './secret-and-removal.tsx'

const t = webhooksText
const WRITE = 'webhooks:write'
/** The project field that stores the URL of each endpoint. */
export const ASKED: Readonly<Record<Kind, string>> = {
  execution: 'projects:write',
  information: 'projects:write',
  blacklist: 'projects:write',
}
export type ProjectDeed = { readonly kind: Kind; readonly deed: 'edit' | 'remove' | 'recover' | 'rotate' }

type OpenedProps = {
  readonly open: ProjectDeed
  readonly webhook: Webhook | undefined
  readonly onClose: () => void
}

export function OpenedProjectWebhook({ open: { kind, deed }, webhook, onClose }: OpenedProps) {
  if (deed === 'edit') return <AddressForm kind={kind} now={webhook?.address ?? ''} onClose={onClose} />
  if (deed === 'remove') return <Removal kind={kind} waiting={webhook?.waiting ?? 0} onClose={onClose} />
  if (webhook === undefined) return null
  const given = { webhook, name: t.kinds[kind], onClose }
  return deed === 'rotate' ? <NewSecret {...given} /> : <RecoverDialog {...given} />
}

type Props = {
  readonly kind: Kind
  readonly webhook: Webhook | undefined
  readonly onOpen: (open: ProjectDeed) => void
}

export function ProjectWebhook({ kind, webhook, onOpen }: Props) {
  const isPhone = useIsPhone()
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{t.kinds[kind]}</strong>
          {webhook && <StateBadge webhook={webhook} />}
          {/* On a phone, the button shows that there is no endpoint. */}
          {!webhook && !isPhone && <span className="badge plain">{t.none}</span>}
          {!isPhone && <span className="badge plain">{t.ofProject}</span>}
          {webhook?.format === 'chat' && <span className="badge plain">{t.chat}</span>}
        </div>
        {webhook && <code>{webhook.address}</code>}
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
  const test = useSendTest(webhook)
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
  const open = (deed: ProjectDeed['deed']) => ({ needs: WRITE, onClick: () => onOpen({ kind, deed }) })
  const rotate = { label: t.rotate, name: t.rotateOf(name), ...open('rotate') }
  return (
    <>
      <RowActions
        of={name}
        actions={[
          {
            label: t.test,
            name: t.testOf(name),
            needs: WRITE,
            isDisabled: test.isPending,
            onClick: () => void test.send(),
          },
          { label: t.recover, name: t.recoverOf(name), ...open('recover') },
          ...(webhook.format === 'generic' ? [rotate] : []),
          { label: t.edit, name: t.editOf(name), reason, ...open('edit') },
          { label: text.remove, name: t.removeOf(name), reason, isDanger: true, ...open('remove') },
        ]}
      />
      <ErrorMessage of={test.error} />
    </>
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
