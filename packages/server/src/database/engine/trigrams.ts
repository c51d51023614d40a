/**
 * The trigram index behind `search` on each engine: FTS5 in SQLite and `pg_trgm` in PostgreSQL. Both use the
 * separate `users_search` table, so that counting an execution doesn't touch the index. They ignore the case
 * of ASCII letters only, because both engines agree on these in every locale.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Shorter terms contain no trigram. */
export const SHORTEST_TERM = 3

export type Trigrams = {
  /** Creates `users_search`, fills it, and keeps it up to date with triggers. */
  readonly create: readonly string[]
  /** The user's `seq` in `users_search as s`. */
  readonly seq: RawBuilder<number>
  /** Matches rows of `users_search as s` that may contain a lowercase term. `holds` verifies each match. */
  readonly matches: (term: string) => RawBuilder<SqlBool>
  /** Whether a string contains a lowercase term. */
  readonly holds: (text: RawBuilder<string>, term: string) => RawBuilder<SqlBool>
}

/** Lowercases the term the way the databases do. */
export function toSearchTerm(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** One line per field, because neither the fields nor a term can contain a line break. */
const textOf = (row: string): string =>
  ['key', 'chat_id', 'note', 'executor', 'blacklist_reason']
    .map((column) => `coalesce(${row}.${column}, '')`)
    .join(" || '\n' || ")

const changed = (isOther: string): string =>
  ['chat_id', 'note', 'executor', 'blacklist_reason']
    .map((column) => `old.${column} ${isOther} new.${column}`)
    .join(' or ')

/** Omits positions. They would double the size of the index, and matches are verified anyway. */
export const fts5: Trigrams = {
  create: [
    `create virtual table users_search using fts5(
      text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
    `insert into users_search (rowid, text) select u.seq, lower(${textOf('u')}) from users u`,
    `create trigger users_search_insert after insert on users begin
      insert into users_search (rowid, text) values (new.seq, lower(${textOf('new')}));
    end`,
    `create trigger users_search_update after update of chat_id, note, executor, blacklist_reason on users
      when ${changed('is not')} begin
      update users_search set text = lower(${textOf('new')}) where rowid = new.seq;
    end`,
    `create trigger users_search_delete after delete on users begin
      delete from users_search where rowid = old.seq;
    end`,
  ],
  seq: sql`s.rowid`,
  matches: (term) => sql`s.users_search match ${trigramsOf(term)}`,
  holds: (text, term) => sql`instr(lower(${text}), ${term}) > 0`,
}

const insertInto = (source: string) =>
  `insert into users_search (seq, text) select r.seq, lower((${textOf('r')}) collate "C") from ${source} r;`

/** Fills `users_search` with all users. */
export const fillPgTrgm = insertInto('users')

const trigger = (
  name: string,
  statement: string,
) => `create function ${name}() returns trigger language plpgsql
    as $$ begin ${statement} return null; end $$`

/**
 * Since PostgreSQL 13, any role that may create objects in the database may create this extension. Without
 * it, `search` scans all of `users_search`; docs/self-hosting.md explains how to add it later.
 */
const INDEX = `do $$ declare place text; begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'searching users stays slow without the extension pg_trgm: %', sqlerrm;
  end;
  select quote_ident(nspname) into place from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
  if place is not null then
    execute format('create index users_search_text on users_search using gin (text %s.gin_trgm_ops)', place);
  end if;
end $$`

export const pgTrgm: Trigrams = {
  create: [
    'create table users_search (seq bigint primary key, text text not null)',
    fillPgTrgm,
    INDEX,
    trigger('users_search_insert', insertInto('added')),
    trigger('users_search_delete', 'delete from users_search s using gone where s.seq = gone.seq;'),
    trigger(
      'users_search_update',
      `update users_search set text = lower((${textOf('new')}) collate "C") where seq = new.seq;`,
    ),
    `create trigger users_search_insert after insert on users referencing new table as added
      for each statement execute function users_search_insert()`,
    `create trigger users_search_delete after delete on users referencing old table as gone
      for each statement execute function users_search_delete()`,
    `create trigger users_search_update after update of chat_id, note, executor, blacklist_reason on users
      for each row when (${changed('is distinct from')}) execute function users_search_update()`,
  ],
  seq: sql`s.seq`,
  matches: (term) => sql`s.text like ${`%${term.replace(/[\\%_]/g, '\\$&')}%`}`,
  holds: (text, term) => sql`strpos(lower((${text}) collate "C"), ${term}) > 0`,
}

/** Merges the index's pending entries. Does nothing without the index. */
export const settlePgTrgm = sql`select gin_clean_pending_list(to_regclass('users_search_text'))`

/** Requires every trigram of the term, because the index does not store their order. */
function trigramsOf(term: string): string {
  const letters = [...term]
  const trigrams = letters
    .slice(SHORTEST_TERM - 1)
    .map((_, start) => letters.slice(start, start + SHORTEST_TERM))
  const quoted = trigrams.map((trigram) => `"${trigram.join('').replaceAll('"', '""')}"`)
  return [...new Set(quoted)].join(' AND ')
}
