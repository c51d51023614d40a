/**
 * Uses triggers to keep `user_labels` in sync on each engine. Tags and metadata are columns of a user, so
 * they are changed, moved to the trash and restored with the user. Triggers ensure that no code that writes
 * these columns can forget to update the index.
 */
import { type RawBuilder, sql } from 'kysely'

/** The form in which `user_labels` stores a tag. */
export const tagLabel = (tag: string): string => `#${tag}`
/** The form in which `user_labels` stores a metadata field, given as `name=value`. */
export const metadataLabel = (member: string): string => `.${member}`

const insertInto = (
  list: (column: string) => string,
): string => `insert into user_labels (project_id, label, user_seq)
  select new.project_id, '#' || value, new.seq from ${list('new.tags')}
  union all select new.project_id, '.' || value, new.seq from ${list('new.metadata_labels')};`

/**
 * Expressions for the `tags` column with the tags in a JSON array appended (without duplicates) or removed.
 * Null if the result is empty.
 */
export type TagLists = {
  readonly tagsWith: (json: string) => RawBuilder<unknown>
  readonly tagsWithout: (json: string) => RawBuilder<unknown>
}

/**
 * The empty string forces a string result. Otherwise, SQLite would embed the array itself in a JSON object.
 */
export const sqliteTagLists: TagLists = {
  tagsWith: (
    json,
  ) => sql`(select json_group_array(value order by place) || '' from (select value, min(place) as place
    from (select value, key as place from json_each(coalesce(tags, '[]'))
      union all select value, 1000 + key from json_each(${json})) group by value))`,
  tagsWithout: (json) => sql`(select nullif(json_group_array(value order by key) || '', '[]')
    from json_each(coalesce(tags, '[]')) where value not in (select value from json_each(${json})))`,
}

/** Avoids `json_agg`, which inserts spaces that `JSON.stringify` does not. */
const listOf = (rows: RawBuilder<unknown>) =>
  sql`(select '[' || string_agg(to_json(value)::text, ',' order by place) || ']' from ${rows})`
const elements = (json: RawBuilder<unknown>) =>
  sql`json_array_elements_text(${json}::json) with ordinality as given (value, place)`
const ownTags = elements(sql`coalesce(tags, '[]')`)

export const postgresTagLists: TagLists = {
  tagsWith: (json) =>
    listOf(sql`(select value, min(place) as place
    from (select value, place from ${ownTags}
      union all select value, 1000 + place from ${elements(sql`cast(${json} as text)`)}) as both_lists
    group by value) as all_tags`),
  tagsWithout: (json) =>
    listOf(sql`(select value, place from ${ownTags}
    where value not in (select value from ${elements(sql`cast(${json} as text)`)})) as left_tags`),
}

const FOLLOWED = 'tags, metadata_labels'
const HAS_ANY = '(new.tags is not null or new.metadata_labels is not null)'
const changed = (differs: string) =>
  `(new.tags ${differs} old.tags or new.metadata_labels ${differs} old.metadata_labels)`
const REMOVED = 'delete from user_labels where user_seq = new.seq;'

/**
 * Treats invalid lists, such as those in a manually repaired file, as empty, so that the user can still be
 * stored.
 */
const ofSqlite = insertInto((column) => `json_each(iif(json_valid(${column}), ${column}, '[]'))`)

export const sqliteLabels: readonly string[] = [
  `create trigger users_labels_insert after insert on users when ${HAS_ANY} begin
    ${ofSqlite}
  end`,
  `create trigger users_labels_update after update of ${FOLLOWED} on users when ${changed('is not')} begin
    ${REMOVED}
    ${ofSqlite}
  end`,
]

const ofPostgres = insertInto(
  (column) => `json_array_elements_text(coalesce(${column}, '[]')::json) as given (value)`,
)
const trigger = (
  name: string,
  statements: string,
) => `create function ${name}() returns trigger language plpgsql
  as $$ begin ${statements} return null; end $$`

export const postgresLabels: readonly string[] = [
  trigger('users_labels_insert', ofPostgres),
  trigger('users_labels_update', `${REMOVED} ${ofPostgres}`),
  `create trigger users_labels_insert after insert on users
    for each row when ${HAS_ANY} execute function users_labels_insert()`,
  `create trigger users_labels_update after update of ${FOLLOWED} on users
    for each row when ${changed('is distinct from')} execute function users_labels_update()`,
]
