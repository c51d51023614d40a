/** Tests the report of declared errors that a test run did not cause. */
import { expect, test } from 'vitest'
import { endpointName } from '../packages/server/test/record.ts'
import { missing } from './check-record.ts'

test('an error has to be caused only once, by any of the equivalent endpoints', () => {
  const declared = ['projects.edit account_expired', 'projects.edit cannot_edit_nothing']
  expect(missing([...declared, ...declared], ['projects.edit account_expired'])).toEqual([
    'not covered by a test: projects.edit cannot_edit_nothing',
  ])
})

test.each(['v1.projects.edit', 'projects.edit', 'projects.editByGet', 'projects.editByQuery'])(
  '%s counts as the endpoint projects.edit',
  (name) => {
    expect(endpointName(name)).toBe('projects.edit')
  },
)
