import { type V1WebhooksListResponses, v1WebhooksList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type ShownState, shownState } from '../webhooks/shown-state.ts'
import styles from './overview.module.css'

type Webhook = V1WebhooksListResponses[200]['webhooks'][number]

const FRESH_MS = 60_000
const TONES: Readonly<Record<ShownState, Tone>> = {
  untried: 'plain',
  active: 'good',
  failing: 'warn',
  paused: 'bad',
  disabled: 'bad',
}

export function WebhooksPanel() {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: ['webhooks', id, 'health'],
    queryFn: async () => (await v1WebhooksList({ ...call, path: { project_id: id } })).data.webhooks,
    refetchInterval: FRESH_MS,
  })
  const room = addressOf.project(id, 'webhooks')
  return (
    <Panel title={text.overview.webhooks}>
      <QueryBoundary query={query}>
        {query.data?.length === 0 ? (
          <>
            <p className="hint">{text.overview.noWebhooks}</p>
            <div className="bar">
              <a className="button" href={addressOf.project(id, 'settings')}>
                {text.overview.addWebhook}
              </a>
            </div>
          </>
        ) : (
          <ul className={styles.lines}>
            {query.data?.map((webhook) => (
              <Health key={webhook.id} webhook={webhook} href={room} />
            ))}
          </ul>
        )}
      </QueryBoundary>
    </Panel>
  )
}

function Health({ webhook, href }: { webhook: Webhook; href: string }) {
  const { kind, name, address, waiting, failing_since: since } = webhook
  const state = shownState(webhook)
  const facts = [
    address,
    ...(waiting > 0 ? [text.overview.waiting(waiting)] : []),
    ...(since === null ? [] : [text.overview.failingSince(when(since))]),
  ]
  return (
    <li>
      <a href={href}>{kind === 'additional' ? name : text.overview.webhookKinds[kind]}</a>
      <Badge tone={TONES[state]}>{text.overview.webhookStates[state]}</Badge>
      <small>{facts.join(' · ')}</small>
    </li>
  )
}
