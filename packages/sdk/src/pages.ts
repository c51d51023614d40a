/** Lists of any length, entry by entry: each page is asked for when the one before is used up. */

/** What a call on a list answers: some entries under `name`, and where the next ones begin. */
export type ListPage<Name extends string, Entry> = {
  readonly data: { readonly [N in Name]: readonly Entry[] } & { readonly next: string | null }
}

/**
 * Every entry of a list, in its order, with no more than one page in memory. `read` calls the list with this `after`, null
 * at first, and a `limit`; entries that are made or removed meanwhile shift no others.
 *
 *     for await (const user of entriesOf('users', (after) =>
 *       v1ProjectUsersList({ client, path: { project_id }, query: { after, limit: 500 }, throwOnError: true }),
 *     )) …
 */
export async function* entriesOf<Name extends string, Entry>(
  name: Name,
  read: (after: string | null) => Promise<ListPage<Name, Entry>>,
): AsyncGenerator<Entry, void, undefined> {
  for (let after: string | null = null; ; ) {
    const { data }: ListPage<Name, Entry> = await read(after)
    yield* data[name]
    if (data.next === null) return
    after = data.next
  }
}
