/** What the page of a key shows its holder when what they use is banned. */
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine } from '../databases.ts'
import { START, serverOn } from '../harness.ts'
import { makeScene, type Scene } from '../protocol/scene.ts'
import { Surfer } from './surfer.ts'

describe.each(anyEngine)('bans on the page of a key on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const userOf = async (key: string) => (await scene.owner.get(`/users/${key}`)).body.user
  const visit = async (key: string) => {
    const surfer = new Surfer()
    await surfer.open(`${at().url}/me`)
    return { surfer, text: (await surfer.submit('name="key"', { key })).text }
  }

  it('shows a ban of its device, chat account or visitor like a blacklist, and unbinds nothing then', async () => {
    const ban = (members: object) => scene.owner.post(`/v1/projects/${scene.projectId}/bans/new`, members)
    const bound = await scene.addUser()
    await scene.client.run(scene.scriptId, { key: bound })
    const linked = await scene.addUser({ chat_id: '4711' })
    const { surfer, text } = await visit(bound)
    expect(text).toContain('Active')
    await ban({ kind: 'device', user_key: bound, reason: 'leaked it' })
    await ban({ kind: 'chat', user_key: linked, reason: 'spam' })
    expect((await surfer.submit('value="reset"')).text).not.toContain('Device unbound.')
    expect(await userOf(bound)).toMatchObject({ fingerprint_assigned: true })
    const [device, chat] = [await visit(bound), await visit(linked)]
    for (const [shown, reason] of [
      [device, 'leaked it'],
      [chat, 'spam'],
    ] as const) {
      expect(shown.text).toContain('Blocked')
      expect(shown.text).toContain(reason)
    }
    const stranger = await scene.addUser()
    expect((await visit(stranger)).text).toContain('Active')
    await ban({ kind: 'network', value: '127.0.0.0/24' })
    expect((await visit(stranger)).text).toContain('Blocked')
  })
})
