/** Paginated lists, read to the end with each response's cursor. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Client, serverOn, type TestServer } from '../../../../test/harness.ts'
import { createProject } from '../../../../test/nouns.ts'
import { script, scriptVersion } from '../../../../test/store/rows.ts'
import { type Furnished, furnish } from '../../../../test/subjects.ts'
import { insertScriptVersion } from '../../scripts/store/script-versions.ts'
import { insertScript } from '../../scripts/store/scripts.ts'

type Entry = Readonly<Record<string, unknown>>
type List = {
  readonly member: string
  readonly path: (nouns: Furnished['ids']) => string
  readonly add: (server: TestServer, furnished: Furnished, index: number) => Promise<unknown>
  readonly isOfOperators?: true
}

const LISTS: readonly List[] = [
  {
    member: 'projects',
    path: () => '/v1/projects',
    add: (_, { owner }) => createProject(owner),
  },
  {
    member: 'scripts',
    path: ({ project_id }) => `/v1/projects/${project_id}/scripts`,
    add: ({ deps }, { ids }, index) => {
      const id = `${ids.script_id}-${index}`
      const project_id = String(ids.project_id)
      return deps.db.transaction((tx) => insertScript(tx, { ...script, id, project_id }))
    },
  },
  {
    member: 'versions',
    path: ({ script_id }) => `/v1/scripts/${script_id}/versions`,
    add: ({ deps }, { ids }, index) => {
      const script_id = String(ids.script_id)
      return deps.db.transaction((tx) =>
        insertScriptVersion(tx, { ...scriptVersion, script_id, version: index + 3 }),
      )
    },
  },
  {
    member: 'systems',
    path: () => '/v1/adsystems',
    add: (_, { owner, ids }, index) =>
      owner.post('/v1/adsystems/new', { project_id: ids.project_id, name: `System ${index}` }),
  },
  {
    member: 'deliveries',
    path: ({ project_id }) => `/v1/projects/${project_id}/webhooks/deliveries`,
    add: (_, { owner, ids }) =>
      owner.post(`/v1/projects/${ids.project_id}/webhooks/test`, { kind: 'execution' }),
  },
  {
    member: 'customers',
    path: () => '/v1/admin/customers',
    add: (server) => server.createCustomer(),
    isOfOperators: true,
  },
]

describe.each(anyEngine)('a paginated list on $name', (engine) => {
  const { at } = serverOn(engine)

  async function listOf({ member, path, add, isOfOperators }: List) {
    const furnished = await furnish(at())
    for (let index = 0; index < 4; index += 1) await add(at(), furnished, index)
    const caller: Client = isOfOperators ? at().admin : furnished.owner
    const read = async (query: string) => {
      const { status, body, error } = await caller.get(`${path(furnished.ids)}?${query}`)
      return { status, error, entries: body[member] as Entry[], next: body.next, total: body.total }
    }
    return { read, grow: () => add(at(), furnished, 9) }
  }

  it.each(LISTS)('of $member is complete with pages of one, of two and of all entries', async (list) => {
    const { read } = await listOf(list)
    const whole = await read('')
    expect(whole).toMatchObject({ status: 200, next: null, total: whole.entries.length })
    expect(whole.entries.length).toBeGreaterThan(4)
    for (const limit of [1, 2, whole.entries.length]) {
      const found: Entry[] = []
      let next: unknown = null
      do {
        const part = await read(`limit=${limit}${next === null ? '' : `&after=${next}`}`)
        expect(part.entries.length).toBeLessThanOrEqual(limit)
        found.push(...part.entries)
        next = part.next
      } while (next !== null)
      expect(found).toEqual(whole.entries)
    }
  })

  it.each(LISTS)(
    'of $member returns a cursor even after an index, and none for an empty page',
    async (list) => {
      const { read } = await listOf(list)
      const whole = await read('')
      const part = await read('from=1&limit=1')
      expect(part.entries).toEqual(whole.entries.slice(1, 2))
      expect((await read(`after=${part.next}`)).entries).toEqual(whole.entries.slice(2))
      expect(await read('limit=0')).toMatchObject({ entries: [], next: null })
    },
  )

  it.each(LISTS)('of $member is not shifted by new entries', async (list) => {
    const { read, grow } = await listOf(list)
    const whole = await read('')
    const { next } = await read('limit=2')
    await grow()
    const rest = await read(`after=${next}`)
    expect(rest.entries.slice(0, whole.entries.length - 2)).toEqual(whole.entries.slice(2))
  })

  it.each(LISTS)(
    'of $member rejects an index combined with a cursor, and cursors from other lists',
    async (list) => {
      const { read } = await listOf(list)
      const { next } = await read('limit=1')
      const other = Buffer.from('another:1').toString('base64url')
      for (const [query, field] of [
        [`after=${next}&from=1`, 'from'],
        [`after=${other}`, 'after'],
        ['after=x', 'after'],
      ] as const) {
        const { status, error } = await read(query)
        expect(status).toBe(400)
        expect(error.failed).toMatchObject([{ field }])
      }
    },
  )

  it('of projects can be read by index in the unversioned API', async () => {
    const { owner } = await furnish(at())
    for (const name of ['Second', 'Third']) await createProject(owner, { name })
    const { body } = await owner.get(`/customers/${owner.apiKey}/projects?from=1&limit=1`)
    expect((body.projects as Entry[]).map(({ name }) => name)).toEqual(['Second'])
    expect(Object.keys(body).sort()).toEqual(['projects', 'success'])
  })
})
