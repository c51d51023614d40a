/**
 * Test setup for webhooks: a project whose information endpoint is a receiver, and the owner's view of the
 * deliveries.
 */
import type { Owner, TestServer } from '../harness.ts'
import { createOwner } from '../nouns.ts'
import { type Answer, ok } from './receiver.ts'
import { closedReceivers } from './receivers.ts'

type Attempt = { attempted_at: number; status: number | null; answer: string | null; error: string | null }
type Delivery = {
  id: string
  type: string
  state: string
  next_attempt: number | null
  attempts: Attempt[]
}

export type WebhookScene = {
  readonly receiver: Awaited<ReturnType<ReturnType<typeof closedReceivers>>>
  readonly owner: Owner
  readonly project: string
  deliveries(query?: string): Promise<Delivery[]>
  webhook(): Promise<Readonly<Record<string, unknown>>>
}

/** Creates scenes whose receivers are those of `closedReceivers`. */
export function scenes(at: () => TestServer): (first?: Answer) => Promise<WebhookScene> {
  const receive = closedReceivers()
  return async (first = ok) => {
    const receiver = await receive(first)
    const { owner, project } = await createOwner(
      at(),
      {},
      { name: 'Garden', information_webhook: receiver.url },
    )
    return {
      receiver,
      owner,
      project,
      deliveries: async (query = '') => {
        const listed = await owner.get(`/v1/projects/${project}/webhooks/deliveries${query}`)
        return listed.body.deliveries as Delivery[]
      },
      webhook: async () => {
        const { webhooks } = (await owner.get(`/v1/projects/${project}/webhooks`)).body
        return (webhooks as Record<string, unknown>[])[0] ?? {}
      },
    }
  }
}

/** Returns five hundred project events, which is the maximum for one statement. */
export function waitingEvents(
  { secrets }: TestServer['deps'],
  project: string,
  start: number,
  times: Record<'created_at' | 'due_at' | 'attempts', number>,
) {
  const event = { project_id: project, kind: 'information', type: 'user.created' } as const
  const waiting = { ...event, ...times, queued_at: times.created_at, state: 'pending' as const }
  return Array.from({ length: 500 }, (_, i) => {
    const id = `${project}-${start + i}`
    return { id, data: secrets.sealText('event', id, '{}'), ...waiting }
  })
}
