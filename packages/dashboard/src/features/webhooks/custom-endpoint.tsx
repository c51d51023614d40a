/**
 * A project's custom endpoint, with its events, health and actions. The API calls custom endpoints
 * `additional`.
 */
import { Badge } from '../../components/badge.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useIsPhone } from '../../lib/narrow.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { CustomForm } from './custom-form.tsx'
import { Health, SigningSecret, StateBadge, useSendTest } from './health.tsx'
import { useToggleWebhook, type Webhook } from './queries.ts'
import { RecoverDialog } from './recover-dialog.tsx'
import { NewSecret, RemoveCustom } from './secret-and-removal.tsx'

const t = webhooksText
const WRITE = 'webhooks:write'
type Deed = 'edit' | 'recover' | 'rotate' | 'remove'
export type CustomDeed = 'new' | { readonly deed: Deed; readonly id: string }

type OpenedProps = {
  readonly open: CustomDeed
  readonly all: readonly Webhook[]
  readonly onClose: () => void
}

export function OpenedCustomEndpoint({ open, all, onClose }: OpenedProps) {
  if (open === 'new') return <CustomForm webhook={undefined} onClose={onClose} />
  const webhook = all.find(({ id }) => id === open.id)
  if (webhook === undefined) return null
  const given = { webhook, onClose }
  if (open.deed === 'edit') return <CustomForm {...given} />
  const named = { ...given, name: webhook.name ?? '' }
  if (open.deed === 'recover') return <RecoverDialog {...named} />
  return open.deed === 'rotate' ? <NewSecret {...named} /> : <RemoveCustom {...given} />
}

export function CustomEndpoint({ webhook, onOpen }: { webhook: Webhook; onOpen: (deed: Deed) => void }) {
  const test = useSendTest(webhook)
  const isPhone = useIsPhone()
  const showToast = useToast()
  const toggle = useToggleWebhook(webhook.id, (enabled) =>
    showToast({ title: enabled ? t.switchedOn : t.switchedOff }),
  )
  const name = webhook.name ?? webhook.id
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{name}</strong>
          {webhook.enabled ? <StateBadge webhook={webhook} /> : <Badge tone="plain">{t.off}</Badge>}
          <span className="badge plain">{t.custom}</span>
          {webhook.format === 'chat' && <span className="badge plain">{t.chat}</span>}
        </div>
        <code>{webhook.address}</code>
        <Filters webhook={webhook} />
        {webhook.enabled && <Health webhook={webhook} />}
        {webhook.secret && webhook.format === 'generic' && <SigningSecret value={webhook.secret} />}
      </div>
      <div className="actions">
        {!isPhone && (
          <GuardedButton
            needs={WRITE}
            aria-label={t.testOf(name)}
            disabled={test.isPending}
            onClick={() => void test.send()}
          >
            {t.test}
          </GuardedButton>
        )}
        <Menu label={t.actionsOf(name)}>
          {isPhone && (
            <MenuItem needs={WRITE} onClick={() => void test.send()}>
              {t.test}
            </MenuItem>
          )}
          <MenuItem needs={WRITE} onClick={() => onOpen('edit')}>
            {t.edit}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={() => onOpen('recover')}>
            {t.recover}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={() => onOpen('rotate')}>
            {t.rotate}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={() => toggle.mutate(!webhook.enabled)}>
            {webhook.enabled ? t.switchOff : t.switchOn}
          </MenuItem>
          <MenuItem needs={WRITE} isDanger onClick={() => onOpen('remove')}>
            {text.remove}
          </MenuItem>
        </Menu>
      </div>
      <ErrorMessage of={test.error} />
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
