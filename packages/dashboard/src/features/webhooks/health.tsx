/** Components for one endpoint: health, secret and sending a test. */
import { useState } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useFilters } from '../../lib/address.ts'
import { when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import styles from './addresses.module.css'
import { useTest, type Webhook } from './queries.ts'
import { type ShownState, shownState } from './shown-state.ts'

const t = text.webhooks
const STATE_TONES: Readonly<Record<ShownState, Tone>> = {
  untried: 'plain',
  active: 'good',
  failing: 'warn',
  paused: 'bad',
  disabled: 'bad',
}

export function StateBadge({ webhook }: { webhook: Webhook }) {
  const state = shownState(webhook)
  return <Badge tone={STATE_TONES[state]}>{t.states[state]}</Badge>
}

export function Health({ webhook: { state, failures, failing_since } }: { webhook: Webhook }) {
  if (state === 'active') return null
  const hints = { failing: t.failingHint, paused: t.pausedHint, disabled: t.goneHint }
  return (
    <p className={styles.health}>
      {failing_since !== null && <strong>{t.failingFor(failures, when(failing_since))}. </strong>}
      {hints[state]}
    </p>
  )
}

export function SigningSecret({ value }: { value: string }) {
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

export function SendTest({ webhook, name }: { webhook: Webhook; name: string }) {
  const test = useTest()
  const [, show] = useFilters()
  const showToast = useToast()
  const send = async () => {
    const delivery = await test.mutateAsync(webhook.id).catch(() => undefined)
    if (delivery === undefined) return
    showToast({ title: t.tested })
    show({ state: undefined, type: undefined, webhook: undefined, delivery })
  }
  return (
    <>
      <GuardedButton
        needs="webhooks:write"
        aria-label={t.testOf(name)}
        disabled={test.isPending}
        onClick={send}
      >
        {t.test}
      </GuardedButton>
      <ErrorMessage of={test.error} />
    </>
  )
}
