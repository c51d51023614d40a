/**
 * Defines each webhook event in one entry: its receivers, its data and its Discord form. The OpenAPI
 * document, its examples, `docs/api/webhooks.md`, the endpoints' filters and the SDK are generated from these
 * entries. To add an event, add an entry here. The compiler then requires its label in the dashboard.
 */
import { type Static, Type } from 'typebox'
import { codeText, mentionText, plainText } from './chat-text.ts'
import { endEvents } from './end-events.ts'
import { errorEvents } from './error-events.ts'
import { blacklist, DENIED, type EventKind, GRANTED, information, run } from './event-entry.ts'
import {
  blacklistFields,
  changeFields,
  executionFields,
  runFields,
  userFields,
  yesNo,
} from './event-fields.ts'
import {
  acted,
  Blacklisting,
  Changes,
  EventNoun,
  Execution,
  execution,
  OfUser,
  ofUser,
  orNull,
  Run,
  text,
} from './event-shapes.ts'
import { functionEvents } from './function-events.ts'
import { releaseEvents } from './release-events.ts'

export const events = {
  'execution.granted': run(GRANTED, {
    summary: 'A run was granted.',
    data: Execution,
    title: 'Execution',
    fields: executionFields,
  }),
  'execution.denied': run(DENIED, {
    summary: 'A run was denied.',
    data: Type.Object({
      ...execution,
      denial: Type.Object(
        { code: Type.Integer(), reason: text },
        { examples: [{ code: 11, reason: 'key_expired' }] },
      ),
      left_out: Type.Integer({
        description: 'number of earlier denials that were not sent because there were too many',
      }),
    }),
    title: 'Execution denied',
    fields: (data) => [
      ['Reason', plainText(data.denial.reason)],
      ...executionFields(data),
      ...(data.left_out > 0 ? [['Omitted before', plainText(data.left_out)] as const] : []),
    ],
  }),
  'execution.copied': blacklist({
    // Two clients continued the same run, and both were ended.
    summary: 'A copied run was detected and ended.',
    data: Run,
    title: 'Run copied',
    fields: runFields,
  }),
  'execution.suspected': blacklist({
    // A run requested keys in a way that no official loader does. The run continues.
    summary: 'A run requested the keys of most locked functions within a short time.',
    data: Type.Object({
      ...Run.properties,
      suspicion: Type.Object(
        { reason: Type.Literal('locks_at_once'), asked: Type.Integer(), locks: Type.Integer() },
        { examples: [{ reason: 'locks_at_once', asked: 13, locks: 25 }] },
      ),
    }),
    title: 'Suspicious run',
    fields: (data) => [
      ...runFields(data),
      ['Locks requested', plainText(`${data.suspicion.asked} of ${data.suspicion.locks}`)],
    ],
  }),
  'user.created': information({
    summary: 'A user was created.',
    data: OfUser,
    title: 'User created',
    fields: userFields,
  }),
  'user.edited': information({
    summary: 'A user was edited.',
    data: Type.Object({ ...ofUser, changes: Changes }),
    title: 'User edited',
    fields: (data) => [...userFields(data), ...changeFields(data.changes)],
  }),
  'user.removed': information({
    summary: 'A user was removed.',
    data: OfUser,
    title: 'User removed',
    fields: userFields,
  }),
  'users.generated': information({
    summary: 'License keys were generated.',
    data: Type.Object({
      ...acted,
      count: Type.Integer(),
      user_keys: Type.Array(text, { description: 'first 20 keys, masked', examples: [['kQ7m…gA5e']] }),
    }),
    title: 'Users generated',
    fields: (data) => [
      ['Count', plainText(data.count)],
      ['Keys', data.user_keys.slice(0, 10).map(codeText).join(' ') || 'N/A'],
    ],
  }),
  'users.imported': information({
    summary: 'Users were imported.',
    data: Type.Object({ ...acted, imported: Type.Integer(), skipped: Type.Integer() }),
    title: 'Users imported',
    fields: (data) => [
      ['Imported', plainText(data.imported)],
      ['Skipped', plainText(data.skipped)],
    ],
  }),
  'users.removed': information({
    summary: 'Users were removed in bulk.',
    data: Type.Object({
      ...acted,
      count: Type.Integer(),
      reason: Type.Unsafe<'purged' | 'cleared' | 'expired' | 'chosen'>({
        type: 'string',
        enum: ['purged', 'cleared', 'expired', 'chosen'],
        description:
          'why the users were removed: purged (they were unused), cleared (all users in the project were removed), expired (delete_expired_users is on) or chosen (they were selected by a list of keys or a filter)',
      }),
    }),
    title: 'Users removed',
    fields: (data) => [
      ['Users', plainText(data.count)],
      ['Why', plainText(data.reason)],
    ],
  }),
  'users.changed': information({
    summary: 'Users were changed in bulk, selected by a list of keys or a filter.',
    data: Type.Object({ ...acted, count: Type.Integer(), action: Type.String() }),
    title: 'Users changed',
    fields: (data) => [
      ['Users', plainText(data.count)],
      ['Action', plainText(data.action)],
    ],
  }),
  'users.restored': information({
    summary: 'A removal or bulk change was undone.',
    data: Type.Object({ ...acted, count: Type.Integer(), action: Type.String() }),
    title: 'Change undone',
    fields: (data) => [
      ['Users', plainText(data.count)],
      ['What was undone', plainText(data.action)],
    ],
  }),
  'user.fingerprint_reset': information({
    summary: "A user's fingerprint was reset.",
    data: Type.Object({ ...ofUser, forced: Type.Boolean() }),
    title: 'Fingerprint reset',
    fields: (data) => [...userFields(data), ['Forced', yesNo(data.forced)]],
  }),
  'user.device_added': information({
    // Sent only for keys that may have more than one device.
    summary: 'A key that allows several devices was bound to another one.',
    data: Type.Object({
      ...ofUser,
      device: Type.Object(
        { id: text, ip: text, fingerprint: text, executor: text },
        {
          description:
            'masked details, from which neither the IP address nor the fingerprint can be recovered',
          examples: [
            {
              id: 'dev_0VMc4VLkQ8sTuVwXyZaBcD',
              ip: '203.0.*.*',
              fingerprint: '3fa9…c17e',
              executor: 'Ga**',
            },
          ],
        },
      ),
      devices: Type.Integer({ description: 'number of devices now bound to the key', examples: [2] }),
      max_devices: Type.Integer({ examples: [2] }),
    }),
    title: 'Device added',
    fields: (data) => [
      ...userFields(data),
      ['Device', plainText(`${data.device.executor} ${data.device.fingerprint}`)],
      ['Devices', plainText(`${data.devices} of ${data.max_devices}`)],
    ],
  }),
  'users.fingerprint_reset_all': information({
    summary: "All users' fingerprints were reset.",
    data: Type.Object({ ...acted, count: Type.Integer() }),
    title: 'All fingerprints reset',
    fields: (data) => [['Users', plainText(data.count)]],
  }),
  'user.linked': information({
    summary: 'A user was linked to a chat account.',
    data: Type.Object({ ...ofUser, old_chat_id: orNull(text), forced: Type.Boolean() }),
    title: 'User linked',
    fields: (data) => [...userFields(data), ['Before', mentionText(data.old_chat_id)]],
  }),
  'users.compensated': information({
    summary: 'Time was added to all keys in a project.',
    data: Type.Object({
      ...acted,
      count: Type.Integer(),
      duration: Type.Integer({ description: 'time added, in milliseconds' }),
      compensate_expired: Type.Boolean(),
    }),
    title: 'Keys extended',
    fields: (data) => [
      ['Users', plainText(data.count)],
      ['Minutes', plainText(Math.round(data.duration / 60_000))],
      ['Including expired keys', yesNo(data.compensate_expired)],
    ],
  }),
  'webhook.test': information({
    summary: 'A test event was requested.',
    data: Type.Object({
      ...acted,
      kind: Type.Unsafe<EventKind | 'additional'>({
        type: 'string',
        enum: ['execution', 'information', 'blacklist', 'additional'],
      }),
    }),
    title: 'Test',
    fields: (data) => [['Webhook', plainText(data.kind)]],
  }),
  'events.left_out': information({
    summary: 'Too many events were pending for this endpoint, so some were not sent.',
    data: Type.Object({
      counts: Type.Array(Type.Object({ type: text, count: Type.Integer() })),
    }),
    title: 'More events',
    fields: ({ counts }) => counts.map(({ type, count }) => [plainText(type), plainText(count)]),
  }),
  'user.key_issued': information({
    summary: 'A visitor earned a key through ads.',
    data: Type.Object({ ...ofUser, system: EventNoun }),
    title: 'Key earned',
    fields: (data) => [...userFields(data), ['Ad system', plainText(data.system.name)]],
  }),
  'user.key_extended': information({
    summary: 'A visitor extended their key through ads.',
    data: Type.Object({
      ...ofUser,
      system: EventNoun,
      old_key_expires: orNull(
        Type.Integer({
          description: 'expiry before the extension, which may be in the past',
          examples: [1_789_913_600_000],
        }),
      ),
    }),
    title: 'Key extended',
    fields: (data) => [...userFields(data), ['Ad system', plainText(data.system.name)]],
  }),
  'ads.misconfigured': information({
    summary: "An ad provider rejected a checkpoint's settings.",
    data: Type.Object({
      system: EventNoun,
      checkpoint: Type.Object({ id: text, name: text, index: Type.Integer(), provider: text }),
    }),
    title: 'Checkpoint misconfigured',
    fields: ({ system, checkpoint }) => [
      ['Ad system', plainText(system.name)],
      ['Checkpoint', plainText(`${checkpoint.index + 1}. ${checkpoint.name}`)],
      ['Fix', 'Check its link and provider settings'],
    ],
  }),
  'user.paused': information({
    summary: 'A key was paused.',
    data: OfUser,
    title: 'Key paused',
    fields: userFields,
  }),
  'user.resumed': information({
    summary: 'A paused key was resumed.',
    data: OfUser,
    title: 'Key resumed',
    fields: userFields,
  }),
  'user.extended': information({
    summary: 'A key was extended.',
    data: OfUser,
    title: 'Key extended',
    fields: userFields,
  }),
  ...endEvents,
  ...functionEvents,
  ...errorEvents,
  ...releaseEvents,
  'variables.edited': information({
    summary: "A project's remote variables were changed.",
    data: Type.Object({
      ...acted,
      version: Type.Integer({ examples: [4] }),
      changed: Type.Array(text, {
        description: 'names of the changed variables',
        examples: [['motd', 'rates']],
      }),
    }),
    title: 'Variables changed',
    fields: ({ changed }) => [['Variables', plainText(changed.join(', '))]],
  }),
  'plan.edited': information({
    // The resulting changes to the plan's users are not listed individually.
    summary: 'A plan was edited.',
    data: Type.Object({
      ...acted,
      plan: Type.Object(
        { id: text, name: text },
        { examples: [{ id: 'pln_0VMc4VLkQ8sTuVwXyZaBcD', name: 'Pro' }] },
      ),
    }),
    title: 'Plan changed',
    fields: ({ plan }) => [['Plan', plainText(plan.name)]],
  }),
  'user.features_changed': information({
    summary: "A key's plan or features were changed.",
    data: Type.Object({
      ...ofUser,
      plan: orNull(Type.String({ examples: ['Pro'] })),
      features: Type.Unsafe<Record<string, true | number | string>>({
        type: 'object',
        additionalProperties: { type: ['boolean', 'number', 'string'] },
        description: "key's features, combined from its plan and its own settings",
        examples: [{ turbo: true, slots: 3 }],
      }),
    }),
    title: 'Features changed',
    fields: (data) => [
      ...userFields(data),
      ['Plan', plainText(data.plan ?? 'none')],
      ['Features', plainText(Object.keys(data.features).join(', ') || 'none')],
    ],
  }),
  'user.blacklisted': blacklist({
    summary: 'A user was blocked.',
    data: Blacklisting,
    title: 'User blocked',
    fields: blacklistFields,
  }),
  'user.unblacklisted': blacklist({
    summary: 'A user was unblocked.',
    data: OfUser,
    title: 'User unblocked',
    fields: userFields,
  }),
  'user.shared': blacklist({
    // Sent at most once a day per key.
    summary: 'A key was used from more networks than the project allows, or from two at the same time.',
    data: Type.Object({
      ...ofUser,
      networks: Type.Integer({
        description: 'number of networks the key was used from within seven days',
        examples: [9],
      }),
      refused_devices: Type.Integer({
        description: 'number of other devices the key was denied on within seven days',
        examples: [4],
      }),
      threshold: Type.Integer({ description: "the project's share_threshold", examples: [6] }),
      simultaneous: Type.Boolean({
        description:
          'whether two runs with the same device IDs sent heartbeats from different networks at the same time, which counts as sharing regardless of the threshold',
        examples: [false],
      }),
    }),
    title: 'Key shared',
    fields: (data) => [
      ...userFields(data),
      ['Networks in 7 days', plainText(data.networks)],
      ['Allowed networks', plainText(data.threshold)],
      ['Two at the same time', yesNo(data.simultaneous)],
      ['Denied devices', plainText(data.refused_devices)],
    ],
  }),
  'user.blacklist_expired': blacklist({
    summary: "A user's block expired.",
    data: Blacklisting,
    title: 'Block expired',
    fields: blacklistFields,
  }),
}

export type EventType = keyof typeof events
export type EventData = { readonly [T in EventType]: Static<(typeof events)[T]['data']> }

export const EVENT_TYPES = Object.keys(events) as EventType[]

/** Events about an endpoint itself, which are sent only to that endpoint, regardless of filters. */
export const OF_THE_ADDRESS: ReadonlySet<EventType> = new Set(['webhook.test', 'events.left_out'])

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(events, text)
}
