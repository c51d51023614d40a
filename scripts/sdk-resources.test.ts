import { expect, it } from 'vitest'
import { resourcesModule } from './sdk-resources.ts'

const operation = (operationId: string, method?: string) => ({
  operationId,
  ...(method === undefined ? {} : { 'x-sdk-method': method }),
  summary: 'Does it.',
  description: 'It is done.',
})

it.each([
  ['two operations with one name', ['users.get', 'users.get']],
  ['a method that is also a group', ['users.devices', 'users.devices.list']],
  ['a group that is also a method', ['users.devices.list', 'users.devices']],
])('the generation rejects %s and names the operation to rename', (_, [first, second]) => {
  expect(() => resourcesModule([operation('v1.one', first), operation('v1.two', second)])).toThrow(
    /^v1\.two: /,
  )
})

it('operations without an SDK method are left out', () => {
  const made = resourcesModule([operation('v1.users.get', 'users.get'), operation('users.get')])
  expect(made.match(/calls\.\w+\(/g)).toEqual(['calls.v1UsersGet('])
})
