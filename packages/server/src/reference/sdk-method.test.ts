import { expect, it } from 'vitest'
import { sdkMethodOf } from './sdk-method.ts'

const OPERATION = { path: '/v1/x', auth: 'customer' } as const

it.each([
  ['v1.users.extend', 'users.extend'],
  ['v1.projectUsers.create', 'users.create'],
  ['v1.projects.create', 'projects.create'],
  ['v1.userDevices.list', 'users.devices.list'],
  ['v1.scriptVersions.activate', 'scripts.versions.activate'],
  ['admin.tiers.list', 'admin.tiers.list'],
  ['v1.me', 'me.get'],
])('the operation %s is the method %s of the SDK', (name, method) => {
  expect(sdkMethodOf({ ...OPERATION, name })).toBe(method)
})

it.each([
  ['an unversioned path', { path: '/users/:user_key' }],
  ["an endpoint of the dashboard's sign-in", { path: '/v1/auth/password' }],
  ['an endpoint that requires a dashboard session', { auth: 'person' }],
  ['an event stream', { produces: 'events' }],
] as const)('%s has no method in the SDK', (_, difference) => {
  expect(sdkMethodOf({ ...OPERATION, ...difference, name: 'v1.users.get' })).toBeUndefined()
})
