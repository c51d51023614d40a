/** The devices that a user's key is bound to: what is stored of them, their names, and removing one. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import * as shape from '../../api/shapes.ts'
import { describeDevice, describeDevices } from '../keys/history.ts'
import { MAX_DEVICE_NAME_LENGTH, removeDevice, renameDevice } from './fingerprints.ts'
import { MAX_DEVICES } from './recognition.ts'

const masked = { description: 'masked; null when it is not known', examples: ['203.0.*.*'] }
const Components = Type.Array(
  Type.Object({
    component: Type.String({ description: 'what of the device it is', examples: ['machine_id'] }),
    strength: Type.Unsafe<'weak' | 'medium' | 'strong'>({
      type: 'string',
      enum: ['weak', 'medium', 'strong'],
      description: 'how surely it tells devices apart',
    }),
    hash: Type.String({
      description: 'masked; two that differ differ here too',
      examples: ['1f0a…9c2e'],
    }),
  }),
  { description: 'strongest first' },
)
const shown = {
  ip: shape.nullable(Type.String(masked)),
  executor: shape.nullable(Type.String({ ...masked, examples: ['Ga**'] })),
}
const Device = Type.Unsafe<{
  ip: string | null
  executor: string | null
  components: { component: string; strength: 'weak' | 'medium' | 'strong'; hash: string }[]
} | null>({
  type: ['object', 'null'],
  description: 'null while none is bound',
  required: ['ip', 'executor', 'components'],
  properties: { ...shown, components: Components },
})
const ListedDevice = shape.named('Device', {
  id: Type.String({ examples: ['dev_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  name: shape.nullable(Type.String({ description: 'what the user calls it', examples: ['Desk'] })),
  ...shown,
  fingerprint: shape.nullable(Type.String({ ...masked, examples: ['3fa9…c17e'] })),
  bound_at: shape.nullable(
    Type.Integer({
      description: 'null for a device of before several were possible',
      examples: [1_790_000_000_000],
    }),
  ),
  last_used_at: shape.nullable(
    Type.Integer({ description: 'to the hour; null before the first run', examples: [1_790_000_000_000] }),
  ),
  components: Components,
})
const DeviceParams = Type.Object({ user_key: Type.String(), device_id: Type.String() })

const get = endpoint({
  name: 'v1.userDevice.get',
  summary: 'Read what is stored of the device that a user used last, masked.',
  description:
    'Shows what is stored of the device on which the key ran last: the network, the executor, and each component with its strength. All of it is masked, so that support can compare two devices without reading one. Null until a device is bound. For all of them, see `/v1/users/:user_key/devices`.',
  method: 'GET',
  path: '/v1/users/:user_key/device',
  auth: 'user',
  scope: 'users:read',
  issued: true,
  params: shape.UserParams,
  response: Type.Object({ success: shape.Yes, device: Device }),
  async handle({ subject }, deps) {
    return { device: await describeDevice(deps, subject.user) }
  },
})

const list = endpoint({
  name: 'v1.userDevices.list',
  summary: 'List the devices that a user is bound to, masked.',
  description: `All of them, in the order in which they were bound; a key has at most ${MAX_DEVICES}. How many it may have is \`max_devices\` of the user or of their plan. A device has the name that the user gave it, or none.`,
  method: 'GET',
  path: '/v1/users/:user_key/devices',
  auth: 'user',
  scope: 'users:read',
  issued: true,
  params: shape.UserParams,
  response: Type.Object({ success: shape.Yes, devices: Type.Array(ListedDevice) }),
  async handle({ subject }, deps) {
    return { devices: await describeDevices(deps, subject.user) }
  },
})

const name = endpoint({
  name: 'v1.userDevices.name',
  summary: 'Name a device of a user; an empty text takes the name away.',
  description:
    'The name that users see on their own page, where they can change it too. It tells devices apart and changes nothing else.',
  example: { body: { name: 'Desk' } },
  method: 'POST',
  path: '/v1/users/:user_key/devices/:device_id/name',
  auth: 'user',
  scope: 'users:write',
  params: DeviceParams,
  body: shape.members({
    name: Type.String({
      maxLength: MAX_DEVICE_NAME_LENGTH,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: `at most ${MAX_DEVICE_NAME_LENGTH} characters without control characters`,
      examples: ['Desk'],
    }),
  }),
  response: shape.Done,
  failures: { account_expired: 0 },
  handle: async ({ subject, body, params }, deps) =>
    (await renameDevice(deps, subject, { id: params.device_id, name: body.name })) ?? {},
})

const remove = endpoint({
  name: 'v1.userDevices.remove',
  summary: 'Remove one device of a user, so that another can be bound.',
  description:
    'The other devices stay. It counts as a reset of the key, but neither the cooldown of the project nor its plan holds it up. With `force` what runs with the key is ended, on all of its devices. To remove all at once, reset the user.',
  example: { body: { force: false } },
  method: 'POST',
  path: '/v1/users/:user_key/devices/:device_id/remove',
  auth: 'user',
  scope: 'users:write',
  params: DeviceParams,
  body: shape.members({ force: shape.Flag }),
  response: shape.Done,
  failures: { account_expired: 0 },
  handle: async ({ subject, body, params }, deps) =>
    (await removeDevice(deps, subject, { id: params.device_id, force: body.force })) ?? {},
})

export const userDevices: readonly Endpoint[] = [get, list, name, remove]
