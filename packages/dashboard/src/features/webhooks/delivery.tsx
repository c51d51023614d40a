/**
 * Shows one delivery with its content, and every attempt with its response. The delivery can be sent again.
 */

import { Snippet } from '../../components/code/snippet.tsx'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useFilters } from '../../lib/address.ts'
import { LOCALE } from '../../lib/format.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import styles from './delivery.module.css'
import { type Delivery, useResend, useWebhooks } from './queries.ts'
import { AddressName, outcomeOf, StateBadge } from './state.tsx'

const t = webhooksText
const MILLISECONDS = new Intl.NumberFormat(LOCALE, {
  style: 'unit',
  unit: 'millisecond',
  maximumFractionDigits: 0,
})

type Props = {
  readonly delivery: Delivery | undefined
  readonly isLooking: boolean
  readonly onClose: () => void
}

export function DeliveryDrawer({ delivery, isLooking, onClose }: Props) {
  return (
    <Drawer title={delivery?.type ?? t.deliveries} onClose={onClose}>
      {delivery ? <Sheet delivery={delivery} /> : isLooking ? <Skeleton /> : <NotLoaded />}
    </Drawer>
  )
}

function NotLoaded() {
  const [, change] = useFilters()
  return (
    <Empty title={t.notLoaded} hint={t.notLoadedHint}>
      <button
        type="button"
        onClick={() => change({ state: undefined, type: undefined, webhook: undefined, delivery: undefined })}
      >
        {t.showAll}
      </button>
    </Empty>
  )
}

function Sheet({ delivery }: { delivery: Delivery }) {
  return (
    <>
      <Facts delivery={delivery} />
      <Resend id={delivery.id} />
      <section className="stack tight">
        <h3>{t.attempts}</h3>
        {delivery.attempts.length === 0 && <p className="hint">{t.noAttempts}</p>}
        <ol className={styles.attempts}>
          {[...delivery.attempts].reverse().map((attempt) => (
            <Attempt key={attempt.attempted_at} attempt={attempt} />
          ))}
        </ol>
      </section>
      <Body delivery={delivery} />
    </>
  )
}

function Facts({ delivery }: { delivery: Delivery }) {
  const { event_id, webhook_id, created_at, next_attempt } = delivery
  return (
    <dl className="facts-list">
      <dt>{t.state}</dt>
      <dd>
        <StateBadge delivery={delivery} />
      </dd>
      <dt>{t.goesTo}</dt>
      <dd>
        <AddressName id={webhook_id} />
      </dd>
      <dt>{t.created}</dt>
      <dd>
        <Time at={created_at} />
      </dd>
      {next_attempt !== null && (
        <>
          <dt>{t.nextAttempt}</dt>
          <dd>
            <Time at={next_attempt} />
          </dd>
        </>
      )}
      <dt>{t.eventId}</dt>
      <dd>
        <code>{event_id}</code>
      </dd>
    </dl>
  )
}

function Resend({ id }: { id: string }) {
  const resend = useResend()
  const showToast = useToast()
  return (
    <div className="stack tight">
      <div className="bar">
        <GuardedButton
          needs="webhooks:write"
          className="main"
          disabled={resend.isPending}
          onClick={() => resend.mutate(id, { onSuccess: () => showToast({ title: t.resent }) })}
        >
          {t.resend}
        </GuardedButton>
      </div>
      <p className="hint">{t.resendHint}</p>
      <ErrorMessage of={resend.error} />
    </div>
  )
}

function Attempt({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { attempted_at, duration_ms, address, status, answer } = attempt
  const isGood = status !== null && status >= 200 && status < 300
  return (
    <li className={isGood ? styles.good : styles.bad}>
      <div className="bar between">
        <strong>{outcomeOf(attempt)}</strong>
        <span className="hint">
          <Time at={attempted_at} />, {t.took(MILLISECONDS.format(duration_ms))}
        </span>
      </div>
      <code>{address}</code>
      {status !== null &&
        (answer ? <pre className={styles.answer}>{answer}</pre> : <p className="hint">{t.emptyAnswer}</p>)}
    </li>
  )
}

function Body({ delivery: { body, webhook_id } }: { delivery: Delivery }) {
  const webhooks = useWebhooks()
  const isChat = webhooks.data?.find((each) => each.id === webhook_id)?.format === 'chat'
  return (
    <section className="stack tight">
      <h3>{t.body}</h3>
      {isChat && <p className="hint">{t.chatBody}</p>}
      {body === null ? <p className="hint">{t.noBody}</p> : <Snippet code={indented(body)} label={t.body} />}
    </section>
  )
}

function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}
