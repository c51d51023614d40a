/**
 * The catalogue of all events that a project's webhooks receive, and how one is recorded: in the transaction of the change
 * itself, so that neither happens without the other. What the messages look like is in `messages.ts`.
 */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import {
  type EventRow,
  insertEvent,
  insertForcedEvent,
  updateOverflowingEvents,
} from '../../store/tables/outbox.ts'
import { updateWebhookTried, type WebhookKind } from '../../store/tables/webhooks.ts'
import { newId } from '../ids.ts'
import { codeText, maskKey, mentionText, plainText } from './chat-text.ts'

/** Which of a project's three addresses receives an event. */
export type { WebhookKind } from '../../store/tables/webhooks.ts'
/** Who did it: the owner of the project through the API, a user, or the service by itself. */
export type Actor = 'owner' | 'user' | 'service'

export type EventUser = {
  readonly key: string
  readonly chat_id: string | null
  readonly note: string | null
  readonly executions: number
  readonly key_expires: number | null
}
export type ExecutionData = {
  readonly script: { readonly id: string; readonly name: string; readonly version: number }
  /** Null for a guest of a free-for-all script. */
  readonly user: EventUser | null
  readonly execution: {
    /** Null when it was denied. */
    readonly id: string | null
    readonly executor: string
    readonly runtime: string
    readonly game_user_id: string | null
    readonly place_id: string | null
    readonly job_id: string | null
  }
  /** Masked: neither the address nor the fingerprint can be recovered from it. */
  readonly client: { readonly ip: string; readonly country: null; readonly fingerprint: string }
}
type EventSystem = { readonly id: string; readonly name: string }
type UserData = { readonly user: EventUser; readonly actor: Actor }

/** Beside these every message has `project`, its id and name. */
export type EventData = {
  'execution.granted': ExecutionData
  /** `left_out`: denials before this one that were not sent, because there were too many. */
  'execution.denied': ExecutionData & {
    readonly denial: { readonly code: number; readonly reason: string }
    readonly left_out: number
  }
  /** Two clients went on with one run; both were ended. */
  'execution.copied': Omit<ExecutionData, 'client'>
  /** A run did what no loader does. It goes on. */
  'execution.suspected': Omit<ExecutionData, 'client'> & {
    /** It asked for the keys of `asked` of `locks` locked functions in one heartbeat. */
    readonly suspicion: { readonly reason: 'locks_at_once'; readonly asked: number; readonly locks: number }
  }
  'user.created': UserData
  /** The first twenty keys, masked. */
  'users.generated': { readonly actor: Actor; readonly count: number; readonly user_keys: readonly string[] }
  'users.imported': { readonly actor: Actor; readonly imported: number; readonly skipped: number }
  'user.fingerprint_reset': UserData & { readonly forced: boolean }
  'users.fingerprint_reset_all': { readonly actor: Actor; readonly count: number }
  'user.linked': UserData & { readonly old_chat_id: string | null; readonly forced: boolean }
  'users.compensated': {
    readonly actor: Actor
    readonly count: number
    /** Milliseconds that were added. */
    readonly duration: number
    readonly compensate_expired: boolean
  }
  'webhook.test': { readonly actor: Actor; readonly kind: WebhookKind }
  'user.blacklisted': UserData & { readonly reason: string | null; readonly expires: number | null }
  'user.unblacklisted': UserData
  /** Events that were not sent, because too many were pending for this address. */
  'events.left_out': {
    readonly counts: readonly { readonly type: string; readonly count: number }[]
  }
  'user.blacklist_expired': UserData & { readonly reason: string | null; readonly expires: number | null }
  'user.key_issued': UserData & { readonly system: EventSystem }
  'user.key_extended': UserData & {
    readonly system: EventSystem
    /** When the key would have ended without it; may be past. */
    readonly old_key_expires: number | null
  }
  'ads.misconfigured': {
    readonly system: EventSystem
    readonly checkpoint: {
      readonly id: string
      readonly name: string
      readonly index: number
      readonly provider: string
    }
  }
}
export type EventType = keyof EventData
export type Event<T extends EventType = EventType> = {
  readonly type: T
  readonly project_id: string
  readonly data: EventData[T]
}

/** A line of the chat form; `value` is fit to be shown. */
export type Field = readonly [name: string, value: string]
type Shape<D> = {
  /** The address that receives it. Tests, and counts of events left out, go to the address they are about. */
  readonly kind: WebhookKind
  readonly summary: string
  readonly title: string
  readonly colour: number
  readonly fields: (data: D) => readonly Field[]
}

const GRANTED = 3_066_993
const DENIED = 15_105_570
const INFORMATION = 3_447_003
const BLACKLIST = 15_158_332
/** Keys that `users.generated` names. */
export const NAMED_KEYS = 20

export const events: { readonly [T in EventType]: Shape<EventData[T]> } = {
  'execution.granted': {
    kind: 'execution',
    summary: 'A script was handed to a client.',
    title: 'Execution',
    colour: GRANTED,
    fields: executionFields,
  },
  'execution.denied': {
    kind: 'execution',
    summary: 'A client asked for a script and did not get it.',
    title: 'Execution denied',
    colour: DENIED,
    fields: (data) => [
      ['Reason', plainText(data.denial.reason)],
      ...executionFields(data),
      ...(data.left_out > 0 ? [['Left out before', plainText(data.left_out)] as const] : []),
    ],
  },
  'execution.copied': blacklist('A run was copied and ended.', 'Run copied', runFields),
  'execution.suspected': blacklist(
    'A run asked for the keys of most locked functions at once.',
    'Run suspected',
    (data) => [
      ...runFields(data),
      ['Locks asked for', plainText(`${data.suspicion.asked} of ${data.suspicion.locks}`)],
    ],
  ),
  'user.created': information('A user was created.', 'User created', userFields),
  'users.generated': information('User keys were generated.', 'Users generated', (data) => [
    ['Count', plainText(data.count)],
    ['Keys', data.user_keys.slice(0, 10).map(codeText).join(' ') || 'N/A'],
  ]),
  'users.imported': information('Users were imported.', 'Users imported', (data) => [
    ['Imported', plainText(data.imported)],
    ['Skipped', plainText(data.skipped)],
  ]),
  'user.fingerprint_reset': information("A user's fingerprint was reset.", 'Fingerprint reset', (data) => [
    ...userFields(data),
    ['Forced', yesNo(data.forced)],
  ]),
  'users.fingerprint_reset_all': information(
    "Every user's fingerprint was reset.",
    'All fingerprints reset',
    (data) => [['Users', plainText(data.count)]],
  ),
  'user.linked': information('A user was linked to a chat account.', 'User linked', (data) => [
    ...userFields(data),
    ['Before', mentionText(data.old_chat_id)],
  ]),
  'users.compensated': information('Time was added to user keys.', 'Users compensated', (data) => [
    ['Users', plainText(data.count)],
    ['Minutes', plainText(Math.round(data.duration / 60_000))],
    ['Expired ones too', yesNo(data.compensate_expired)],
  ]),
  'webhook.test': information('A test was requested.', 'Test', (data) => [['Webhook', plainText(data.kind)]]),
  'events.left_out': information(
    'More events waited for this address than are sent one by one.',
    'More events',
    ({ counts }) => counts.map(({ type, count }) => [plainText(type), plainText(count)]),
  ),
  'user.key_issued': information('A visitor of ads earned a key.', 'Key earned', (data) => [
    ...userFields(data),
    ['Ad system', plainText(data.system.name)],
  ]),
  'user.key_extended': information('A visitor of ads extended their key.', 'Key extended', (data) => [
    ...userFields(data),
    ['Ad system', plainText(data.system.name)],
  ]),
  'ads.misconfigured': information(
    'An ad provider refuses the settings of a checkpoint.',
    'Checkpoint misconfigured',
    ({ system, checkpoint }) => [
      ['Ad system', plainText(system.name)],
      ['Checkpoint', plainText(`${checkpoint.index + 1}. ${checkpoint.name}`)],
      ['Fix', 'Check its link and provider settings'],
    ],
  ),
  'user.blacklisted': blacklist('A user was blacklisted.', 'User blacklisted', blacklistFields),
  'user.unblacklisted': blacklist('A user is no longer blacklisted.', 'User unblacklisted', userFields),
  'user.blacklist_expired': blacklist("A user's blacklist ran out.", 'Blacklist expired', blacklistFields),
}

type EventDeps = Pick<Deps, 'now' | 'random' | 'secrets'>

/** Records an event. Call it in the transaction of the change. Without an address it costs one statement. */
export async function addEvent<T extends EventType>(
  tx: Queries,
  deps: EventDeps,
  event: Event<T>,
): Promise<void> {
  const { kind } = events[event.type]
  const row = rowOf(deps, kind, event)
  await insertEvent(tx, row)
}

/** Records a test for an address, paused or not, which is tried at once. The event's id; undefined without an address. */
export async function addTestEvent(
  tx: Queries,
  deps: EventDeps,
  projectId: string,
  kind: WebhookKind,
): Promise<string | undefined> {
  const event = { type: 'webhook.test', project_id: projectId, data: { actor: 'owner', kind } } as const
  const row = rowOf(deps, kind, event)
  if (!(await updateWebhookTried(tx, projectId, kind))) return undefined
  await insertForcedEvent(tx, row)
  return row.id
}

/**
 * Drops pending events of an address beyond the newest `keep`, and records one event with how many of each type there
 * were, so that neither the disk nor a channel fills up.
 */
export async function leaveOutEvents(
  tx: Queries,
  deps: EventDeps,
  queue: { readonly project_id: string; readonly kind: WebhookKind },
  keep: number,
): Promise<void> {
  const ended = await updateOverflowingEvents(tx, queue, keep)
  const counts = [...ended].map(([type, count]) => ({ type, count }))
  if (counts.length === 0) return
  const event = { type: 'events.left_out', project_id: queue.project_id, data: { counts } } as const
  await insertForcedEvent(tx, rowOf(deps, queue.kind, event))
}

/** The event as it was recorded: what waits or was sent is sealed at rest. */
export function openEvent<E extends Pick<EventRow, 'id' | 'data'>>(
  { secrets }: Pick<Deps, 'secrets'>,
  event: E,
): E {
  return { ...event, data: secrets.openText('event', event.id, event.data) }
}

/** What an event contains about a user. */
export function eventUser({ key, chat_id, note, executions, key_expires }: EventUser): EventUser {
  return { key, chat_id, note, executions, key_expires }
}

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(events, text)
}

function rowOf({ now, random, secrets }: EventDeps, kind: WebhookKind, event: Event) {
  const created_at = now()
  const { type, project_id, data } = event
  const id = newId('evt', created_at, random)
  return {
    id,
    project_id,
    kind,
    type,
    data: secrets.sealText('event', id, JSON.stringify(data)),
    created_at,
  }
}

function information<D>(summary: string, title: string, fields: Shape<D>['fields']): Shape<D> {
  return { kind: 'information', summary, title, colour: INFORMATION, fields }
}

function blacklist<D>(summary: string, title: string, fields: Shape<D>['fields']): Shape<D> {
  return { kind: 'blacklist', summary, title, colour: BLACKLIST, fields }
}

function executionFields({ script, user, execution, client }: ExecutionData): readonly Field[] {
  return [
    ['Script', `${plainText(script.name)} (v${script.version})`],
    ['Key', user ? codeText(maskKey(user.key)) : 'N/A'],
    ['User', mentionText(user?.chat_id)],
    ['Executor', plainText(execution.executor)],
    ['Executions', plainText(user?.executions)],
    ['IP', plainText(client.ip)],
    ['Fingerprint', plainText(client.fingerprint)],
  ]
}

function runFields({ script, user, execution }: EventData['execution.copied']): readonly Field[] {
  return [
    ['Script', `${plainText(script.name)} (v${script.version})`],
    ['Key', user ? codeText(maskKey(user.key)) : 'N/A'],
    ['User', mentionText(user?.chat_id)],
    ['Executor', plainText(execution.executor)],
  ]
}

function userFields({ user }: { readonly user: EventUser }): readonly Field[] {
  return [
    ['Key', codeText(maskKey(user.key))],
    ['User', mentionText(user.chat_id)],
    ['Note', plainText(user.note)],
    ['Expires', user.key_expires === null ? 'never' : timeText(user.key_expires)],
  ]
}

function blacklistFields(data: EventData['user.blacklisted']): readonly Field[] {
  return [
    ...userFields(data),
    ['Reason', plainText(data.reason)],
    ['Until', data.expires === null ? 'for ever' : timeText(data.expires)],
  ]
}

function timeText(time: number): string {
  return plainText(new Date(time).toISOString().slice(0, 16).replace('T', ' '))
}

function yesNo(yes: boolean): string {
  return yes ? 'yes' : 'no'
}
