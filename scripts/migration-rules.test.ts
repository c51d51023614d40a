/** A migration that would break the last release is found, and one that only adds is not. */
import { expect, test } from 'vitest'
import { type Compiled, migrationComplaints, narrowing } from './migration-rules.ts'

const none: ReadonlySet<string> = new Set()
const found = (...statements: string[]) => narrowing({ statements }, none)

test.each([
  'create table colours (id text not null primary key, name text not null unique)',
  'create index users_colour on users (colour)',
  'alter table users add column colour text',
  'alter table users\n  add column colour integer not null default 7 references colours (id)',
  'update users set colour = 1 where colour is null',
  'insert into colours select distinct colour from users',
  'drop index users_project',
  'alter table "users" add column "colour" text',
])('adds: %s', (statement) => expect(found(statement)).toEqual([]))

test.each([
  'alter table users add column colour text not null',
  'alter table users add column colour text unique',
  'alter table users add column a text, drop column b',
  'alter table users drop column note',
  'ALTER TABLE users RENAME COLUMN note TO words',
  'alter table users rename to people',
  'alter table users alter column note set not null',
  'alter table users alter column note type bigint',
  'alter table users add constraint short check (length(note) < 9)',
  'drop table denials',
  'drop trigger users_standing on users',
  'delete from denials',
  'truncate denials',
  'create unique index users_note on users (note)',
])('takes away: %s', (statement) => expect(found(statement)).toHaveLength(1))

test('what a migration makes itself, it may change', () => {
  expect(
    found('create table colours (id text)', 'alter table colours add column name text not null'),
  ).toEqual([])
  expect(found('create table colours (id text)', 'create unique index names on colours (id)')).toEqual([])
  expect(
    found('alter table users add column colour text', 'create unique index c on users (colour)'),
  ).toEqual([])
  expect(
    found(`alter table users add column colour text default ''`, 'create unique index c on users (colour)'),
  ).toHaveLength(1)
})

test('a unique index may be what older code inserts by', () => {
  const unique = new Set(['users_note'])
  expect(narrowing({ statements: ['drop index users_note'] }, unique)).toHaveLength(1)
  expect(narrowing({ statements: ['drop index users_other'] }, unique)).toEqual([])
})

test('what takes away says so with a version that the last release meets, and nothing else does', () => {
  const of = (narrows: Compiled['narrows'], released: string | undefined, statement = 'drop table denials') =>
    migrationComplaints([{ name: '0011-x', statements: [statement], narrows }], () => false, released)
  const narrows = { oldest: '0.9.0', because: 'denials are in the log' }
  expect(of(undefined, '0.10.0')).toEqual([
    '0011-x: older code may need what this takes away: drop table denials',
  ])
  expect(of(narrows, '0.10.0')).toEqual([])
  expect(of(narrows, '0.8.9')).toEqual(['0011-x: the last release (0.8.9) is older than 0.9.0'])
  expect(of(narrows, undefined)).toHaveLength(1)
  expect(of(narrows, '0.10.0', 'create table x (id text)')).toEqual([
    '0011-x: takes nothing away, so leave out `narrows`',
  ])
})

test('a released migration is not looked at again', () => {
  const all = [{ name: '0011-x', statements: ['drop table denials'] }]
  expect(migrationComplaints(all, () => true, '0.1.0')).toEqual([])
})
