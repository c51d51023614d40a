/** Iterates over lists of any length. Requests each page when the previous one has been consumed. */

/** One page of a list, with the entries under `name` and the cursor of the next page. */
type Page<Name extends string, Entry> = { readonly [N in Name]: readonly Entry[] } & {
  readonly next: string | null
}

/** A page, or a function's response with the page as its data. */
export type ListPage<Name extends string, Entry> = Page<Name, Entry> | { readonly data: Page<Name, Entry> }

/**
 * Yields every entry of a list in order, with at most one page in memory. `read` requests one page, with the
 * given `after` (null for the first page) and a `limit`. Entries that are created or removed in the meantime
 * do not shift the remaining entries.
 *
 *     for await (const user of entriesOf('users', (after) =>
 *       scriptward.users.list(projectId, { after, limit: 500 }),
 *     )) …
 */
export async function* entriesOf<Name extends string, Entry>(
  name: Name,
  read: (after: string | null) => Promise<ListPage<Name, Entry>>,
): AsyncGenerator<Entry, void, undefined> {
  for (let after: string | null = null; ; ) {
    const answer: ListPage<Name, Entry> = await read(after)
    const page: Page<Name, Entry> = 'data' in answer ? (answer.data as Page<Name, Entry>) : answer
    yield* page[name]
    if (page.next === null) return
    after = page.next
  }
}
