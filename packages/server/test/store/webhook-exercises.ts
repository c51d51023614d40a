/** One use of every store function of webhooks, for `exercises.ts`. */
import * as outbox from '../../src/store/outbox.ts'
import * as webhookDeliveries from '../../src/store/webhook-deliveries.ts'
import * as webhooks from '../../src/store/webhooks.ts'
import type { ExercisesOf } from './exercises.ts'
import * as rows from './rows.ts'

const { AT, project } = rows
const { event } = rows
const queue = { project_id: project.id, kind: 'execution' } as const

export const ofOutbox: ExercisesOf<typeof outbox> = {
  insertEvent: async (tx) => {
    const { id: _, state, queued_at, attempts, due_at, ...written } = event
    await outbox.insertEvent(tx, { ...written, id: 'evt_2' })
    await outbox.insertEvent(tx, { ...written, id: 'evt_3', created_at: AT + 1 })
    await outbox.insertEvent(tx, { ...written, id: 'evt_4', kind: 'blacklist' })
  },
  insertForcedEvent: (tx) => {
    const { state, queued_at, attempts, due_at, ...written } = event
    return outbox.insertForcedEvent(tx, { ...written, id: 'evt_2' })
  },
  countDueEvents: async (tx) => {
    await tx
      .insertInto('outbox')
      .values({ ...event, id: 'evt_2', due_at: AT })
      .execute()
    return [await outbox.countDueEvents(tx, 10), await outbox.countDueEvents(tx, 1)]
  },
  listDueEvents: async (tx) => [
    await outbox.listDueEvents(tx, queue, { now: AT - 1, limit: 5 }),
    await outbox.listDueEvents(tx, queue, { now: AT, limit: 5 }),
  ],
  countPendingEvents: (tx) => outbox.countPendingEvents(tx, queue, 5),
  updateEvent: async (tx) => {
    const [row] = await outbox.listDueEvents(tx, queue, { now: AT, limit: 1 })
    await outbox.updateEvent(tx, { seq: row?.seq ?? 0, state: 'delivered', attempts: 1, due_at: null })
  },
  updatePendingEvents: (tx) => outbox.updatePendingEvents(tx, queue, 'dropped'),
  updateOverflowingEvents: async (tx) => {
    await tx
      .insertInto('outbox')
      .values({ ...event, id: 'evt_2' })
      .execute()
    const ended = () => outbox.updateOverflowingEvents(tx, queue, 1)
    return [...(await ended()), ...(await ended())]
  },
  updateStaleEvents: async (tx) => {
    await outbox.updateStaleEvents(tx, queue, AT)
    await tx
      .insertInto('outbox')
      .values({ ...event, id: 'evt_2', queued_at: AT - 1 })
      .execute()
    await outbox.updateStaleEvents(tx, queue, AT)
  },
  updateEventRedelivered: (tx) => outbox.updateEventRedelivered(tx, project.id, event.id, AT + 5),
  listEvents: async (tx) => {
    const page = { after: undefined, from: 0, limit: 5 }
    const none = await outbox.listEvents(tx, project.id, { ...page, state: 'failed' })
    return [none, await outbox.listEvents(tx, project.id, { ...page, type: event.type })]
  },
  countEvents: (tx) => outbox.countEvents(tx, project.id, { state: 'pending', type: event.type }),
  deleteFinishedEvents: async (tx) => {
    await outbox.updatePendingEvents(tx, queue, 'failed')
    await tx
      .insertInto('outbox')
      .values({ ...event, id: 'evt_2' })
      .execute()
    await outbox.deleteFinishedEvents(tx, project.id, 2)
    await outbox.deleteFinishedEvents(tx, project.id, 1)
  },
  deleteOldEvents: (tx) => outbox.deleteOldEvents(tx, AT + 1, 10),
}

export const ofWebhookDeliveries: ExercisesOf<typeof webhookDeliveries> = {
  insertWebhookDeliveries: (tx) => webhookDeliveries.insertWebhookDeliveries(tx, [rows.webhookDelivery]),
  listWebhookDeliveries: (tx) => webhookDeliveries.listWebhookDeliveries(tx, [event.id, 'none']),
}

export const ofWebhooks: ExercisesOf<typeof webhooks> = {
  insertWebhook: async (tx) => {
    await webhooks.insertWebhook(tx, project.id, 'blacklist')
    await webhooks.insertWebhook(tx, project.id, 'execution')
  },
  deleteWebhook: (tx) => webhooks.deleteWebhook(tx, project.id, 'execution'),
  listWebhooks: (tx) => webhooks.listWebhooks(tx, project.id),
  updateWebhookTried: (tx) => webhooks.updateWebhookTried(tx, project.id, 'execution'),
  listDueWebhooks: async (tx) => {
    await tx
      .insertInto('outbox')
      .values(['blacklist', 'information'].map((kind) => ({ ...event, id: kind, kind }) as typeof event))
      .execute()
    const due = async (now: number) => (await webhooks.listDueWebhooks(tx, now, 5)).length
    return [await due(AT - 1), await due(AT)]
  },
  claimWebhooks: async (tx) => {
    const due = await webhooks.listDueWebhooks(tx, AT, 5)
    return [
      ...(await webhooks.claimWebhooks(tx, due, { now: AT, until: AT + 9 })),
      ...(await webhooks.claimWebhooks(tx, due, { now: AT, until: AT + 10 })),
    ]
  },
  updateReleasedWebhook: async (tx) => {
    const due = await webhooks.listDueWebhooks(tx, AT, 5)
    const [claimed] = await webhooks.claimWebhooks(tx, due, { now: AT, until: AT + 9 })
    const released = {
      held_until: AT + 2,
      failures: 3,
      failing_since: AT,
      paused_at: null,
      pause_reason: null,
    }
    const release = (until: number) =>
      webhooks.updateReleasedWebhook(tx, { seq: claimed?.seq ?? 0, until }, released)
    return [await release(AT + 8), await release(AT + 9), await release(AT + 2)]
  },
}
