/** One process connects a bot while others still have the earlier public keys cached. */
import { describe, expect, it } from 'vitest'
import { APPLICATION, FakeDiscord, SERVER } from '../../../test/chat/fake-discord.ts'
import { discordOn } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { onTwoProcesses } from '../../../test/processes/two-processes.ts'
import type { Database } from '../../database/engine/db.ts'
import { PublicKeys } from './public-keys.ts'

const AGAIN_MS = 1000
const MAX_AGAIN = 100

it("Discord's test of the address succeeds on a process that has just read the keys", async () => {
  const discord = await new FakeDiscord(() => START).open()
  const settings = { discordUrl: discord.url, baseUrl: 'https://ward.example.com' }
  try {
    await onTwoProcesses(async (first, second) => {
      discord.serverUrl = second.url
      const { owner, project } = await createOwner(first)
      const ping = JSON.stringify({ type: 1, id: '1', application_id: APPLICATION })
      const send = (to: string) => {
        const request = { method: 'POST', body: ping, headers: discord.signed(ping) }
        return fetch(`${second.url}/hooks/discord/${to}`, request)
      }
      expect((await send((await createOwner(first)).project)).status).toBe(401)
      const connected = await owner.post(`/v1/projects/${project}/discord/connect`, {
        bot_token: discord.token,
      })
      expect(connected.body.discord).toMatchObject({
        ...{ server: { id: SERVER }, installed_at: first.clock.now, failure: null },
      })
      expect((await send(project)).status).toBe(200)
    }, settings)
  } finally {
    await discord.close()
  }
})

describe.each(anyEngine)('public keys on $name', (engine) => {
  const { at, discord, scene } = discordOn(engine)

  /** A database that counts its point reads. */
  function counted(): { readonly db: Database; reads: number } {
    const { db } = at().deps
    const state = { db, reads: 0 }
    const readPoint = new Proxy(db.readPoint, {
      get(target, name) {
        if (name === 'executeQuery') state.reads += 1
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    state.db = { read: db.read, readPoint } as Database
    return state
  }
  const hexOf = (key: Awaited<ReturnType<PublicKeys['find']>>) =>
    key?.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')

  it('of one project are read again at most once a second, and all requests get the result', async () => {
    const keys = new PublicKeys()
    const state = counted()
    expect(await keys.find(state.db, 'prj_1', START)).toBeUndefined()
    const { projectId } = await scene()
    expect(await keys.find(state.db, projectId, START)).toBeUndefined()
    const asked = Array.from({ length: 50 }, () => keys.findAgain(state.db, projectId, START))
    const found = await Promise.all(asked)
    expect(new Set(found.map(hexOf))).toEqual(new Set([discord.publicKey]))
    await keys.findAgain(state.db, projectId, START + AGAIN_MS - 1)
    expect(state.reads).toBe(1)
    await keys.findAgain(state.db, projectId, START + AGAIN_MS)
    expect(state.reads).toBe(2)
  })

  it('of made-up projects cause a limited number of reads in all', async () => {
    const keys = new PublicKeys()
    const state = counted()
    const flood = (now: number) =>
      Promise.all(Array.from({ length: 1000 }, (_, i) => keys.findAgain(state.db, `prj_${i}`, now)))
    expect((await flood(START)).filter(Boolean)).toEqual([])
    expect(state.reads).toBe(MAX_AGAIN)
    await flood(START + AGAIN_MS)
    expect(state.reads).toBe(2 * MAX_AGAIN)
  })

  it('of a bot that was connected here are known at once, whatever was read before', async () => {
    const { keys } = at().deps.discord
    const owner = await at().createCustomer()
    const id = (await owner.post('/v1/projects/new', { name: 'Garden' })).string('project_id')
    expect(await keys.findAgain(at().deps.db, id, at().clock.now)).toBeUndefined()
    await owner.post(`/v1/projects/${id}/discord/connect`, { bot_token: discord.token })
    expect(hexOf(await keys.findAgain(at().deps.db, id, at().clock.now))).toBe(discord.publicKey)
  })
})
