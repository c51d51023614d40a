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
    await tx.updateTable('webhooks').set({ due_at: null }).execute()
    await outbox.insertEvent(tx, { ...written, id: 'evt_2' })
    await outbox.insertEvent(tx, { ...written, id: 'evt_3', created_at: AT + 1 })
    await outbox.insertEvent(tx, { ...written, id: 'evt_4', kind: 'blacklist' })
    await webhooks.updateSleepingWebhooks(tx)
  },
  insertForcedEvent: (tx) => {
    const { state, queued_at, attempts, due_at, ...written } = event
    return outbox.insertForcedEvent(tx, { ...written, id: 'evt_2' })
  },
  listFreshWebhooks: async (tx) => {
    const newest = await outbox.findNewestEvent(tx)
    const later = ['evt_2', 'evt_3'].map((id) => ({ ...event, id }))
    await tx
      .insertInto('outbox')
      .values([...later, { ...event, id: 'evt_4', kind: 'blacklist' }])
      .execute()
    const idOf = async (seq: number) =>
      (await tx.selectFrom('outbox').select('id').where('seq', '=', seq).executeTakeFirst())?.id
    const found = async (limit: number) => {
      const all = await outbox.listFreshWebhooks(tx, newest, limit)
      return Promise.all(all.map(async (one) => [one.seq, await idOf(one.newest)]))
    }
    return [await found(10), await found(2)]
  },
  findNewestEvent: async (tx) => {
    const { seq } = await tx.selectFrom('outbox').select('seq').executeTakeFirstOrThrow()
    return (await outbox.findNewestEvent(tx)) === seq
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
    await webhooks.insertWebhook(tx, project.id, 'blacklist', AT)
    await webhooks.insertWebhook(tx, project.id, 'execution', AT + 1)
  },
  deleteWebhook: (tx) => webhooks.deleteWebhook(tx, project.id, 'execution'),
  listWebhooks: (tx) => webhooks.listWebhooks(tx, project.id),
  updateWebhookTried: (tx) => webhooks.updateWebhookTried(tx, project.id, 'execution', AT + 3),
  findDueWebhook: (tx) => webhooks.findDueWebhook(tx, AT),
  claimDueWebhooks: async (tx) => [
    ...(await webhooks.claimDueWebhooks(tx, { now: AT, until: AT + 9, limit: 5 })),
    ...(await webhooks.claimDueWebhooks(tx, { now: AT, until: AT + 10, limit: 5 })),
  ],
  updateReleasedWebhook: async (tx) => {
    const [claimed] = await webhooks.claimDueWebhooks(tx, { now: AT, until: AT + 9, limit: 5 })
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
  updateSleepingWebhooks: async (tx) => {
    const putToSleep = (due_at: number | null) => tx.updateTable('webhooks').set({ due_at }).execute()
    await putToSleep(null)
    const [one] = await tx.selectFrom('webhooks').select('seq').execute()
    const ofSome = [
      await webhooks.updateSleepingWebhooks(tx, [(one?.seq ?? 0) + 1000]),
      await webhooks.updateSleepingWebhooks(tx, [one?.seq ?? 0]),
      await webhooks.updateSleepingWebhooks(tx, [one?.seq ?? 0]),
    ]
    await putToSleep(AT + 9)
    return [...ofSome, await webhooks.updateSleepingWebhooks(tx)]
  },
}
