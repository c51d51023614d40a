/** No endpoint of the API reveals webhook secrets to a caller without permission to write webhooks. */
import { beforeAll, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { browserOf } from '../../../test/people/browsers.ts'
import { createPerson, type Seat } from '../../../test/people.ts'
import { type Furnished, furnish, pathOf } from '../../../test/subjects.ts'
import { deliver, startReceiver } from '../../../test/webhooks/receiver.ts'
import { endpoints } from '../../endpoints.ts'
import { ROLES, type Role, scopesOfMember } from '../access/roles.ts'
import { scopesOfAccount } from '../access/scopes.ts'

const AVAILABLE = scopesOfAccount({ admin: 0 })
const READ = endpoints.filter(
  ({ method, auth, produces, changes }) =>
    method === 'GET' &&
    auth !== 'customerByPathKey' &&
    auth !== 'none' &&
    auth !== 'client' &&
    produces !== 'events' &&
    !changes,
)
const READING_ROLES = (Object.keys(ROLES) as Exclude<Role, 'custom'>[]).filter(
  (role) => !scopesOfMember({ role, scopes: [] }, AVAILABLE).has('webhooks:write'),
)

describe.each(anyEngine)('a secret of a webhook on $name', (engine) => {
  const { at } = serverOn(engine, { config: { webhookAllowHttp: true, webhookAllowCidr: ['127.0.0.0/8'] } })
  let mine: Furnished
  let secrets: string[]
  let undo: string
  beforeAll(async () => {
    mine = await furnish(at())
    const { owner, ids } = mine
    // Many servers repeat an unknown path in their response.
    const receiver = await startReceiver(({ path }, response) => {
      response.writeHead(500).end(`no ${path} here`)
    })
    const address = new URL('/api/webhooks/1/T0kEnOfTheOther', receiver.url).href
    const given = { execution_webhook: new URL('/api/webhooks/1/T0kEnOfTheThree', receiver.url).href }
    const path = `/v1/projects/${ids.project_id}`
    await owner.post(`${path}/edit`, given)
    const { webhook } = (await owner.post(`${path}/webhooks/new`, { name: 'Other', address })).body
    await owner.post(`${path}/webhooks/test`, { webhook_id: 'execution' })
    await deliver(at())
    secrets = ['T0kEnOfTheOther', 'T0kEnOfTheThree', (webhook as { secret: string }).secret]
    undo = (await owner.post(`/v1/projects/${ids.project_id}/remove`)).string('change_id')
    await owner.post(`/v1/changes/${undo}/undo`)
    await receiver.close()
  })

  it('is visible with write permission, which shows that this test looks in the right places', async () => {
    const { owner, ids } = mine
    const texts = await Promise.all(
      ['', '/webhooks', '/webhooks/deliveries'].map((end) =>
        owner.get(`/v1/projects/${ids.project_id}${end}`),
      ),
    )
    for (const secret of secrets) expect(texts.some(({ text }) => text.includes(secret))).toBe(true)
  })

  it('is not in any remaining data of a removed project, and is restored by undo', async () => {
    const { owner, ids } = await furnish(at())
    const path = `/v1/projects/${ids.project_id}`
    const address = 'http://127.0.0.1:9009/api/webhooks/1/T0kEnOfTheRemoved'
    await owner.post(`${path}/edit`, { information_webhook: address })
    const scopes = [...AVAILABLE].filter((one) => one !== 'webhooks:write')
    const person = await createPerson(at(), owner.id, { role: 'custom', scopes })
    const use = await browserOf(at(), person)
    const removed = await use.post(`${path}/remove`)
    const change = removed.string('change_id')
    const texts = [removed.text]
    for (const endpoint of READ)
      texts.push((await use.get(pathOf(endpoint, { ...ids, change_id: change }))).text)
    texts.push((await use.post(`/v1/changes/${change}/undo`)).text)
    texts.push((await use.get(path)).text)
    expect(texts.filter((text) => text.includes('T0kEnOfTheRemoved'))).toEqual([])
    expect(texts.at(-1)).toContain('127.0.0.1:9009/api/•••')
    expect((await owner.get(path)).body).toMatchObject({ project: { information_webhook: address } })
  })

  const CALLERS: readonly (readonly [string, Seat])[] = [
    ...READING_ROLES.map((role) => [role, { role }] as const),
    [
      'custom, with every scope but webhooks:write',
      { role: 'custom', scopes: [...AVAILABLE].filter((one) => one !== 'webhooks:write') },
    ],
  ]
  it.each(CALLERS)('is never returned to the role %s', async (_, seat) => {
    const { owner, ids } = mine
    const projects = seat.role === 'reseller' ? { projects: [ids.project_id ?? ''] } : {}
    const use = await browserOf(at(), await createPerson(at(), owner.id, { ...seat, ...projects }))
    const told: string[] = []
    for (const endpoint of READ) {
      const { text } = await use.get(pathOf(endpoint, { ...ids, change_id: undo }))
      if (secrets.some((secret) => text.includes(secret))) told.push(endpoint.name)
    }
    expect(told).toEqual([])
  })
})
