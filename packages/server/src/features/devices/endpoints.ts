/** Endpoints for the devices bound to a user's key: listing, naming and removing them. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import * as shape from '../../api/shapes.ts'
import { ONE_LINE } from '../../api/text-patterns.ts'
import { describeDevice, describeDevices } from '../keys/history.ts'
import { MAX_DEVICE_NAME_LENGTH, removeDevice, renameDevice } from './manage-devices.ts'
import { MAX_DEVICES } from './recognition.ts'

const masked = { description: 'masked value. Null if it is unknown', examples: ['203.0.*.*'] }
const Components = Type.Array(
  Type.Object({
    component: Type.String({ description: 'name of the component', examples: ['machine_id'] }),
    strength: Type.Unsafe<'weak' | 'medium' | 'strong'>({
      type: 'string',
      enum: ['weak', 'medium', 'strong'],
      description: 'how reliably the component identifies a device',
    }),
    hash: Type.String({
      description: 'masked value. Different values have different masks',
      examples: ['1f0a…9c2e'],
    }),
  }),
  { description: 'components, strongest first' },
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
  description: 'bound device. Null if no device is bound',
  required: ['ip', 'executor', 'components'],
  properties: { ...shown, components: Components },
})
const ListedDevice = shape.named('Device', {
  id: Type.String({ examples: ['dev_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  name: shape.nullable(
    Type.String({ description: 'device name. Null if the device has none', examples: ['Desk'] }),
  ),
  ...shown,
  fingerprint: shape.nullable(Type.String({ ...masked, examples: ['3fa9…c17e'] })),
  bound_at: shape.nullable(
    Type.Integer({
      description: 'time the device was bound. Null if it was bound before keys could have several devices',
      examples: [1_790_000_000_000],
    }),
  ),
  last_used_at: shape.nullable(
    Type.Integer({
      description: 'time of the last run, to the hour. Null before the first run',
      examples: [1_790_000_000_000],
    }),
  ),
  components: Components,
})
const DeviceParams = Type.Object({ user_key: Type.String(), device_id: Type.String() })

const get = endpoint({
  name: 'v1.userDevice.get',
  summary: "Retrieve a user's device",
  description:
    'Returns masked details of the device the key last ran on: the network, the executor, and each component with its strength. Support can use them to compare two devices without seeing their actual values. `device` is null until a device is bound. To get all devices, use `/v1/users/:user_key/devices`.',
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
  summary: "List a user's devices",
  description: `Returns masked details of all devices that the key is bound to, in the order they were bound. A key can have up to ${MAX_DEVICES} devices, depending on the user's or their plan's \`max_devices\`. Customers can name their devices.`,
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
  summary: 'Rename a device',
  description:
    "Sets the device name shown on the customer's self-service page, where the customer can also change it. Names only help to tell devices apart. An empty name removes it.",
  example: { body: { name: 'Desk' } },
  method: 'POST',
  path: '/v1/users/:user_key/devices/:device_id/name',
  auth: 'user',
  scope: 'users:write',
  params: DeviceParams,
  body: shape.members({
    name: Type.String({
      maxLength: MAX_DEVICE_NAME_LENGTH,
      pattern: ONE_LINE,
      description: `device name of at most ${MAX_DEVICE_NAME_LENGTH} characters without control characters`,
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
  summary: 'Remove a device',
  description:
    'Removes a single device from a key, so that another can be bound. Other devices are not affected. This counts as a fingerprint reset but ignores the cooldowns of the project and the plan. With `force`, all runs of the key are ended, on all devices. To remove all devices, reset the user.',
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
