/** Discord members as reported by a project's bot, and how the two Discord flags affect users. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { createOwner } from '../../../../test/nouns.ts'
import { makeScene } from '../../../../test/protocol/scene.ts'
import { MAX_CHAT_MEMBERS } from '../chat-members.ts'
import { insertChatMembers } from '../store/chat-members.ts'

describe.each(anyEngine)('members of a Discord server on $name', (engine) => {
  const { at } = serverOn(engine)

  const begin = async () => {
    const scene = await makeScene(at())
    const path = `/v1/projects/${scene.projectId}`
    const listed = async (query = '') => {
      const { members, total } = (await scene.owner.get(`${path}/chat-members${query}`)).body
      return { ids: (members as { chat_id: string }[]).map(({ chat_id }) => chat_id), total }
    }
    const say = async (word: string, ...chat_ids: string[]) =>
      (await scene.owner.post(`${path}/chat-members/${word}`, { chat_ids })).body
    return { ...scene, path, listed, say }
  }

  it('join and leave, each once, in the order of joining', async () => {
    const { say, listed, owner, path } = await begin()
    expect(await say('add', '30', '1', '30', ' 2 ')).toEqual({ success: true, added: 3 })
    expect(await say('add', '2', '4')).toEqual({ success: true, added: 1 })
    expect(await listed()).toEqual({ ids: ['30', '1', '2', '4'], total: 4 })
    expect(await listed('?from=1&limit=2')).toEqual({ ids: ['1', '2'], total: 4 })
    expect(await say('remove', '1', 'nobody')).toEqual({ success: true, removed: 1 })
    expect((await owner.get(`${path}/chat-members?limit=1`)).body.members).toEqual([
      { chat_id: '30', added_at: START },
    ])
  })

  it.each([
    ['parsed in the process of the request', 100],
    ['longer than an import that is parsed in that process', 10_000],
    ['parsed in a child process', 60_000],
  ])('are replaced by a list that is %s', async (_, count) => {
    const { say, owner, path } = await begin()
    await say('add', '1', '2')
    const chat_ids = Array.from({ length: count }, (_, index) => `${1e17 + index * 100}`)
    const replaced = await owner.put(`${path}/chat-members`, { chat_ids: ['2', ...chat_ids] })
    expect(replaced.body).toEqual({ success: true, added: count, removed: 1 })
  })

  it('are replaced as a whole, and remaining members keep their position', async () => {
    const { say, listed, owner, path } = await begin()
    await say('add', '1', '2', '3')
    const replaced = await owner.put(`${path}/chat-members`, { chat_ids: ['9', '3', '2'] })
    expect(replaced.body).toEqual({ success: true, added: 1, removed: 1 })
    expect(await listed()).toEqual({ ids: ['2', '3', '9'], total: 3 })
    expect((await owner.put(`${path}/chat-members`, { chat_ids: [] })).body).toMatchObject({ removed: 3 })
  })

  it('belong to one project, and other accounts cannot see them', async () => {
    const { say, path } = await begin()
    await say('add', '1')
    const other = await begin()
    expect(await other.listed()).toEqual({ ids: [], total: 0 })
    expect((await other.owner.get(`${path}/chat-members`)).status).toBe(404)
    expect((await other.owner.put(`${path}/chat-members`, { chat_ids: [] })).status).toBe(404)
  })

  it('are the only users who can run scripts of a project that requires membership', async () => {
    const { owner, path, say, client, scriptId, addUser, edit } = await begin()
    const edited = await owner.post(`${path}/edit`, { require_join_chat_server: true })
    expect(edited.body.project).toMatchObject({ require_chat: false, require_join_chat_server: true })
    const key = await addUser()
    const denial = async () => {
      const { reply } = await client.run(scriptId, { key })
      return reply.ok ? 'granted' : { reason: reply.reason, ...reply.details }
    }
    expect(await denial()).toEqual({ reason: 'join_required', chat_linked: false })
    await edit('users', { chat_id: '4711' }, key)
    expect(await denial()).toEqual({ reason: 'join_required', chat_linked: true })
    await say('add', '4711')
    expect(await denial()).toBe('granted')
    await say('remove', '4711')
    expect(await denial()).toEqual({ reason: 'join_required', chat_linked: true })
    expect((await owner.get(`/v1/users/${key}/denials`)).body.denials).toMatchObject([
      { reason: 'join_required', code: 21, value: '4711', count: 2 },
      { reason: 'join_required', value: null, count: 1 },
    ])
  })

  it('are checked only after a user has linked the required Discord account', async () => {
    const { owner, path, client, scriptId, addUser, edit } = await begin()
    await owner.post(`${path}/edit`, { require_chat: true, require_join_chat_server: true })
    const key = await addUser()
    expect(await client.verdict(scriptId, { key })).toBe('chat_required')
    await edit('users', { chat_id: '1' }, key)
    expect(await client.verdict(scriptId, { key })).toBe('join_required')
    await owner.post(`${path}/edit`, { require_join_chat_server: false })
    expect(await client.verdict(scriptId, { key })).toBe('granted')
  })

  it('cannot exceed the limit of a project', async () => {
    const { path, owner, projectId } = await begin()
    const chatIds = Array.from({ length: MAX_CHAT_MEMBERS }, (_, index) => `${index}`)
    await at().deps.db.bulk((tx) => insertChatMembers(tx, { projectId, chatIds, now: START }))
    const { error } = await owner.post(`${path}/chat-members/add`, { chat_ids: ['one more'] })
    expect(error.type).toBe('too_many_chat_members')
  })

  it.each([
    ['string', 'x'.repeat(2_000_000), 'chat_ids'],
    ['object', Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, 0])), 'chat_ids'],
    ['list with a wrong entry', [...Array.from({ length: 200_000 }, () => '12345678'), 0], 'chat_ids.200000'],
  ])('are not replaced by a large %s, which is rejected with the usual error', async (_, chat_ids, field) => {
    const { path, owner } = await begin()
    const { error } = await owner.put(`${path}/chat-members`, { chat_ids })
    expect(error).toMatchObject({ type: 'invalid_request', failed: [{ field }] })
  })

  it('are required by flags that can be edited only under /v1', async () => {
    const { owner, project } = await createOwner(at())
    expect((await owner.post(`/projects/${project}/edit`, { require_chat: true })).status).toBe(400)
    expect((await owner.post(`/v1/projects/${project}/edit`, { require_chat: true })).status).toBe(200)
    expect((await owner.get(`/projects/${project}`)).body.project).toMatchObject({ require_chat: true })
  })
})
