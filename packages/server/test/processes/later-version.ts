/**
 * Simulates a later version with one or two more migrations, when loaded before the server: `LATER=wide` adds
 * columns, a table and an index, and `LATER=narrow` also removes a column.
 */
import { registerHooks } from 'node:module'

const LATER = `
import { sql as later } from 'kysely'
const run = (...statements) => async (db) => {
  for (const one of statements) await later.raw(one).execute(db)
}
migrations['9998-wide'] = {
  up: run(
    'alter table users add column color text',
    'alter table projects add column color text',
    'alter table scripts add column color text',
    'alter table instances add column color integer not null default 7',
    'create table colors (id text primary key)',
    'create index users_color on users (color)',
  ),
}
if (process.env.LATER === 'narrow')
  migrations['9999-narrow'] = {
    up: run('alter table users drop column color'),
    narrows: { oldest: '77.0.0', because: 'colors of users are gone' },
  }
`

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/database/migrations/list.ts')) return loaded
    return { ...loaded, source: `${loaded.source}${LATER}` }
  },
})
