/** How a run of the tests records what it met, and what is said of the rest. */
import { expect, test } from 'vitest'
import { endpointName, missing } from './check-record.ts'
import { withNotes } from './record-plugin.ts'

test('functions of the store note their calls on the line where they stand', () => {
  const source = [
    `export const find = (db: Queries, key: string) => db.get(key)`,
    `export async function count(db: Queries) {}`,
    `export const pure = (key: string) => key`,
    `const inner = (db: Queries) => db`,
  ]
  const lines = withNotes(source.join('\n'), 'users').split('\n')
  expect(lines[0]).toMatch(/= __noted\('users\.find', \(db: Queries, key: string\) => db\.get\(key\)\)$/)
  expect(lines[1]).toBe(`${source[1]}; count = __noted('users.count', count)`)
  expect(lines.slice(2)).toEqual(source.slice(2))
})

test('a refusal has to be met on one engine, a function of the store on both', () => {
  const notes = [
    { calls: ['SQLite users.find'], refusals: ['SQLite projects.edit account_expired'] },
    { calls: ['PostgreSQL users.count', 'SQLite users.count'], refusals: [] },
  ]
  const expected = {
    declared: ['projects.edit account_expired', 'projects.edit cannot_edit_nothing'],
    storeFunctions: ['users.find', 'users.count'],
  }
  expect(missing(notes, expected)).toEqual([
    'never provoked: projects.edit cannot_edit_nothing',
    'never run on PostgreSQL users.find',
  ])
})

test.each(['v1.projects.edit', 'projects.edit', 'projects.editByGet', 'projects.editByQuery'])(
  '%s is the endpoint projects.edit',
  (name) => {
    expect(endpointName(name)).toBe('projects.edit')
  },
)
