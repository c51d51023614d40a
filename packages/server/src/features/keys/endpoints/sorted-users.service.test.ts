/**
 * Users sorted by a field: each user appears once across all pages and in the right order, and a cursor is
 * valid for one order only.
 */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { type Owner, serverOn } from '../../../../test/harness.ts'
import { createOwner, createUser } from '../../../../test/nouns.ts'
import { insertRows } from '../../../../test/stored.ts'

const DAY_MS = 86_400_000

describe.each(engines)('users sorted by a field on $name', (engine) => {
  const { at } = serverOn(engine)

  async function notesOf(owner: Owner, path: string, query: string): Promise<(string | null)[]> {
    const notes: (string | null)[] = []
    for (let after = ''; ; ) {
      const { body } = await owner.get(`${path}${path.includes('?') ? '&' : '?'}limit=2&${query}${after}`)
      notes.push(...(body.users as { note: string | null }[]).map(({ note }) => note))
      if (body.next === null) return notes
      after = `&after=${body.next}`
    }
  }

  it('by note are in alphabetical order, ignoring case, with those without a note last', async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/users`
    // These notes are too long to appear in a random key by chance.
    const [upper, lower] = ['Zoe Quill', 'zoe quill']
    for (const note of ['bea', upper, null, 'Ada', lower, '🌱', null, 'x'.repeat(255)])
      await createUser(owner, project, note === null ? {} : { note })
    const sorted = ['Ada', 'bea', 'x'.repeat(255), upper, lower, '🌱']
    expect(await notesOf(owner, path, 'sort=note&order=asc')).toEqual([...sorted, null, null])
    expect(await notesOf(owner, path, 'sort=note')).toEqual([...sorted, null, null])
    expect(await notesOf(owner, path, 'sort=note&order=desc')).toEqual([...sorted.toReversed(), null, null])
    const search = `${path}/filter?search=zoe%20quill`
    expect(await notesOf(owner, search, 'sort=note&order=desc')).toEqual([lower, upper])
    expect(await notesOf(owner, `${path}/filter?status=unused`, 'sort=note')).toEqual([...sorted, null, null])
  })

  it('by expiry start with the soonest, and end with those that never expire', async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/users`
    const now = at().clock.now
    for (const [note, days] of [
      ['later', 9],
      ['never', 0],
      ['soon', 1],
      ['soon too', 1],
    ] as const)
      await createUser(owner, project, { note, ...(days > 0 && { key_expires: now + days * DAY_MS }) })
    expect(await notesOf(owner, path, 'sort=expires')).toEqual(['soon', 'soon too', 'later', 'never'])
    expect(await notesOf(owner, path, 'sort=expires&order=desc')).toEqual([
      ...['later', 'soon too', 'soon', 'never'],
    ])
    const filter = `${path}/filter?key_expires=true`
    expect(await notesOf(owner, filter, 'sort=expires')).toEqual(['soon', 'soon too', 'later'])
  })

  it('by creation have the same order as with oldest and newest', async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/users`
    for (const note of ['1', '2', '3']) await createUser(owner, project, { note })
    expect(await notesOf(owner, path, 'sort=created&order=desc')).toEqual(['3', '2', '1'])
    expect(await notesOf(owner, path, 'order=newest')).toEqual(['3', '2', '1'])
    expect(await notesOf(owner, path, 'order=asc')).toEqual(['1', '2', '3'])
  })

  it('are in the same order if the list is long and read from an index in parts', async () => {
    const { owner, project } = await createOwner(at())
    const rows = Array.from({ length: 10_200 }, (_, i) => ({
      ...{ key: `${project}${i}`, customer_id: owner.id, project_id: project, created_at: i },
      note: i % 3 === 0 ? null : `Note ${(i * 7919) % 9973}`,
      last_used_at: i % 100 === 0 ? null : (i % 17) * DAY_MS + 5,
    }))
    for (let i = 0; i < rows.length; i += 1000) await insertRows(at(), 'users', rows.slice(i, i + 1000))
    const read = async (path: string, query: string) => {
      const found: { key: string; note: string | null; last_used_at: number | null }[] = []
      for (let after = ''; ; ) {
        const { body } = await owner.get(
          `/v1/projects/${project}/users${path}${query}&limit=1000${after && `&after=${after}`}`,
        )
        found.push(...(body.users as typeof found))
        if (body.next === null) return found
        after = String(body.next)
      }
    }
    for (const order of ['asc', 'desc'] as const) {
      const byNote = sorted(rows, ({ note }) => note?.toLowerCase() ?? null, order)
      const notes = await read('', `?sort=note&order=${order}`)
      expect(notes.map(({ key }) => key)).toEqual(byNote.map(({ key }) => key))
      const byDay = sorted(rows, (row) => row.last_used_at && Math.floor(row.last_used_at / DAY_MS), order)
      const used = await read('/filter', `?status=unused&sort=last_used&order=${order}`)
      expect(used.map(({ key }) => key)).toEqual(byDay.map(({ key }) => key))
    }
    const few = await read('/filter', '?search=note%20777&sort=note')
    expect(few.map(({ note }) => note)).toEqual(few.map(({ note }) => note).toSorted())
    expect(few.length).toBeGreaterThan(5)
  })

  it('reject cursors of another order or list, and anything that is not a cursor', async () => {
    const { owner, project } = await createOwner(at())
    for (const note of ['1', '2', '3']) await createUser(owner, project, { note })
    const path = `/v1/projects/${project}/users?limit=1`
    const { next } = (await owner.get(`${path}&sort=note`)).body
    const plain = (await owner.get(`${path}`)).body.next
    const text = Buffer.from('["user expires asc","text",1]').toString('base64url')
    for (const query of [
      `sort=note&order=desc&after=${next}`,
      `sort=expires&after=${next}`,
      `after=${next}`,
      `sort=note&after=${plain}`,
      `sort=expires&after=${text}`,
      'sort=note&after=abc',
      `sort=note&from=1&after=${next}`,
      'sort=executions',
    ])
      expect([query, (await owner.get(`${path}&${query}`)).error?.type]).toEqual([query, 'invalid_request'])
  })

  it.each([
    ['expires', 1.5],
    ['expires', 1e300],
    ['expires', 2 ** 53],
    ['last_used', 2 ** 31],
    ['last_used', 0.5],
    ['note', 'a\0b'],
    ['note', true],
  ])('reject a forged cursor whose value the column %s cannot have: %s', async (sort, value) => {
    const { owner, project } = await createOwner(at())
    await createUser(owner, project)
    const after = Buffer.from(JSON.stringify([`user ${sort} asc`, value, 1])).toString('base64url')
    const answer = await owner.get(`/v1/projects/${project}/users?sort=${sort}&after=${after}`)
    expect(answer.error?.type).toBe('invalid_request')
  })
})

/** Rows without a value come last. Rows with equal values keep the order of their index. */
function sorted<Row>(
  rows: readonly Row[],
  ofRow: (row: Row) => string | number | null,
  order: 'asc' | 'desc',
) {
  const all = rows.map((row, index) => ({ row, index, value: ofRow(row) }))
  const sign = order === 'asc' ? 1 : -1
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
  return all
    .toSorted((a, b) => {
      if (a.value === null || b.value === null)
        return Number(a.value === null) - Number(b.value === null) || sign * (a.index - b.index)
      return sign * (compare(a.value, b.value) || a.index - b.index)
    })
    .map(({ row }) => row)
}
