/** Shows an endpoint's health and secret, and sends tests. */
import { useState } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useFilters } from '../../lib/address.ts'
import { when } from '../../lib/when.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import styles from './addresses.module.css'
import { useTest, type Webhook } from './queries.ts'
import { type ShownState, shownState } from './shown-state.ts'

const t = webhooksText
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
    <p className={`kept ${styles.health}`}>
      {failing_since !== null && <strong>{t.failingFor(failures, when(failing_since))}. </strong>}
      {hints[state]}
    </p>
  )
}

export function SigningSecret({ value }: { value: string }) {
  const [isShown, setIsShown] = useState(false)
  return (
    <div className={`kept ${styles.secret}`}>
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

/** Sends a test and opens its delivery. */
export function useSendTest(webhook: Webhook | undefined) {
  const test = useTest()
  const [, show] = useFilters()
  const showToast = useToast()
  const send = async () => {
    if (webhook === undefined) return
    const delivery = await test.mutateAsync(webhook.id).catch(() => undefined)
    if (delivery === undefined) return
    showToast({ title: t.tested })
    show({ state: undefined, type: undefined, webhook: undefined, delivery })
  }
  return { send, isPending: test.isPending, error: test.error }
}
