/** The three addresses of a project: whether they work, their secrets, and what can be done with them. */
import { type ReactNode, useState } from 'react'
import { useFilters } from '../../address.ts'
import { useAskedDialog } from '../../asked-dialog.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Complaint } from '../../parts/complaint.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ConfirmDialog } from '../../parts/dialog.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { useRefusal } from '../../rights.ts'
import { text } from '../../text/text.ts'
import { when } from '../../when.ts'
import { Waiting } from '../trouble.tsx'
import { AddressForm } from './address-form.tsx'
import styles from './addresses.module.css'
import { KINDS, type Kind, useSaveAddress, useTest, useWebhooks, type Webhook } from './queries.ts'

const t = text.webhooks
const WRITE = 'webhooks:write'
const TONES: Readonly<Record<Webhook['state'], Tone>> = {
  active: 'good',
  failing: 'warn',
  paused: 'bad',
  disabled: 'bad',
}
/** An address is a member of its project. */
const ASKED: Readonly<Record<Kind, string>> = {
  execution: 'projects:write',
  information: 'projects:write',
  blacklist: 'projects:write',
}
type Open = { readonly kind: Kind; readonly isRemoving?: true }

export function Addresses() {
  const asked = useWebhooks()
  const [open, setOpen] = useState<Open | null>(null)
  useAskedDialog(ASKED, (kind) => setOpen({ kind }))
  const found = (kind: Kind) => asked.data?.find((each) => each.kind === kind)
  const close = () => setOpen(null)
  return (
    <Panel title={t.addresses} hint={t.addressesHint}>
      <Waiting asked={asked}>
        <ul className="rows">
          {KINDS.map((kind) => (
            <Address key={kind} kind={kind} webhook={found(kind)} onOpen={setOpen} />
          ))}
        </ul>
      </Waiting>
      {open && asked.data && !open.isRemoving && (
        <AddressForm kind={open.kind} now={found(open.kind)?.address ?? ''} onClose={close} />
      )}
      {open?.isRemoving && (
        <Removal kind={open.kind} waiting={found(open.kind)?.waiting ?? 0} onClose={close} />
      )}
    </Panel>
  )
}

type Given = {
  readonly kind: Kind
  readonly webhook: Webhook | undefined
  readonly onOpen: (open: Open) => void
}

function Address({ kind, webhook, onOpen }: Given) {
  const test = useTest()
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{t.kinds[kind]}</strong>
          {webhook && <Badge tone={TONES[webhook.state]}>{t.states[webhook.state]}</Badge>}
          {webhook?.format === 'chat' && <span className="badge plain">{t.chat}</span>}
        </div>
        {webhook ? <code>{webhook.address}</code> : <span className="hint">{t.none}</span>}
        <div className="facts">
          <span>{t.kindHints[kind]}</span>
          {webhook && webhook.waiting > 0 && <span>{t.waiting(webhook.waiting)}</span>}
        </div>
        {webhook && <Health webhook={webhook} />}
        {webhook?.secret && <SigningSecret value={webhook.secret} />}
      </div>
      <Actions kind={kind} webhook={webhook} onOpen={onOpen} test={test} />
      <Complaint of={test.error} />
    </li>
  )
}

function Health({ webhook: { state, failures, failing_since } }: { webhook: Webhook }) {
  if (state === 'active') return null
  const hints = { failing: t.failingHint, paused: t.pausedHint, disabled: t.goneHint }
  return (
    <p className={styles.health}>
      {failing_since !== null && <strong>{t.failingFor(failures, when(failing_since))}. </strong>}
      {hints[state]}
    </p>
  )
}

function SigningSecret({ value }: { value: string }) {
  const [isShown, setIsShown] = useState(false)
  return (
    <div className={styles.secret}>
      <button type="button" className="link" onClick={() => setIsShown(!isShown)}>
        {isShown ? t.hideSecret : t.showSecret}
      </button>
      {isShown && (
        <>
          <div className="secret">
            <code>{value}</code>
            <CopyButton value={value} />
          </div>
          <p className="hint">{t.secretHint}</p>
        </>
      )}
    </div>
  )
}

function Actions({ kind, webhook, onOpen, test }: Given & { test: ReturnType<typeof useTest> }): ReactNode {
  const [, show] = useFilters()
  const say = useSay()
  // An address is a member of its project.
  const reason = useRefusal('projects:write')
  const send = async () => {
    const delivery = await test.mutateAsync(kind).catch(() => undefined)
    if (delivery === undefined) return
    say({ title: t.tested })
    show({ state: undefined, type: undefined, delivery })
  }
  const name = t.kinds[kind]
  if (!webhook)
    return (
      <div className="actions">
        <GuardedButton
          needs={WRITE}
          reason={reason}
          aria-label={t.addOf(name)}
          onClick={() => onOpen({ kind })}
        >
          {t.add}
        </GuardedButton>
      </div>
    )
  return (
    <div className="actions">
      <GuardedButton needs={WRITE} aria-label={t.testOf(name)} disabled={test.isPending} onClick={send}>
        {t.test}
      </GuardedButton>
      <GuardedButton
        needs={WRITE}
        reason={reason}
        aria-label={t.editOf(name)}
        onClick={() => onOpen({ kind })}
      >
        {t.edit}
      </GuardedButton>
      <GuardedButton
        needs={WRITE}
        reason={reason}
        className="danger"
        aria-label={t.removeOf(name)}
        onClick={() => onOpen({ kind, isRemoving: true })}
      >
        {text.remove}
      </GuardedButton>
    </div>
  )
}

function Removal({ kind, waiting, onClose }: { kind: Kind; waiting: number; onClose: () => void }) {
  const save = useSaveAddress(kind)
  const say = useSay()
  const remove = async () => {
    await save.mutateAsync('')
    say({ title: t.removed })
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
