/** A preview counts the affected users and changes nothing. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { bindDevice, changeUser, createOwner, createUser } from '../../../test/nouns.ts'
import { dump } from '../../../test/subjects.ts'

describe.each(anyEngine)('previews on $name', (engine) => {
  const { at } = serverOn(engine)

  it('count the affected users, and change nothing', async () => {
    const { owner, project } = await createOwner(at())
    const other = await createOwner(at())
    await createUser(other.owner, other.project)
    const add = (members: object = {}) => createUser(owner, project, { ...members })
    const [bound, later] = [await add(), await add({ key_expires: START + 1 })]
    await add({ key_expires: START - 1 })
    await add({ chat_id: '4711' })
    await bindDevice(at(), project, bound)
    await changeUser(at(), later, { executions: 1 })
    const path = `/v1/projects/${project}/users`
    const before = await dump(at().deps.db.read)
    const count = async (body: object) => (await owner.post(`${path}/preview`, body)).body.count
    const duration = 5
    expect(await count({ change: 'export' })).toBe(4)
    expect(await count({ change: 'clear' })).toBe(4)
    expect(await count({ change: 'purge' })).toBe(1)
    expect(await count({ change: 'resetall' })).toBe(1)
    expect(await count({ change: 'compensate' })).toBe(1)
    expect(await count({ change: 'compensate', compensate_expired: true })).toBe(2)
    expect((await owner.post(`${path}/preview`, { change: 'rename' })).error.type).toBe('invalid_request')
    expect(await dump(at().deps.db.read)).toBe(before)
    await owner.post(`${path}/compensate`, { duration, compensate_expired: false })
    await owner.post(`${path}/resetall`)
    await owner.post(`${path}/purge`)
    const { users } = (await owner.get(path)).body as { users: unknown[] }
    expect(users).toHaveLength(2)
    await owner.post(`${path}/clear`)
    expect(await count({ change: 'clear' })).toBe(0)
  })
})
