/** What a run of the tests reports about refusals. */
import { expect, test } from 'vitest'
import { endpointName } from '../packages/server/test/record.ts'
import { missing } from './check-record.ts'

test('a refusal has to be met once, by whichever of the twins of an endpoint', () => {
  const declared = ['projects.edit account_expired', 'projects.edit cannot_edit_nothing']
  expect(missing([...declared, ...declared], ['projects.edit account_expired'])).toEqual([
    'never provoked: projects.edit cannot_edit_nothing',
  ])
})

test.each(['v1.projects.edit', 'projects.edit', 'projects.editByGet', 'projects.editByQuery'])(
  '%s is the endpoint projects.edit',
  (name) => {
    expect(endpointName(name)).toBe('projects.edit')
  },
)
