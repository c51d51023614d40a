// Describes a run from grant to kick that every host must complete: the server's actions, and the messages
// that the server must receive.
import { expect } from 'vitest'
import { type ChangingVariables, kick } from '../src/live-messages.ts'
import type { Grant } from '../src/messages.ts'
import type { PeerSession } from './live-peer.ts'
import { Peer, type TlsFiles } from './peer.ts'

export const BEATS: Grant['beat'] = { on: true, interval: 30_000, grace: 90_000, first: 100 }
export const SESSION: Grant['ws'] = { on: true, required: false, url: null, ping: 25_000, deadline: 15_000 }
export const NO_SESSION: Grant['ws'] = { ...SESSION, on: false }

/** Handles two commands and runs until it is stopped. */
export const OBEDIENT = `return function(ward)
  ward.on_kick = function(reason) print('kick', reason, ward.note) end
  ward.handle('sum', function(numbers) return { total = numbers.a + numbers.b } end)
  ward.handle('fail', function() error('broken') end)
  print('started', ward.note)
  while true do
    ward.step(1)
    if ward.note == 'changed' then print('changed') ward.note = nil end
  end
end`

/** Like `OBEDIENT`, for hosts with threads, which need no loop. */
export const THREADED = OBEDIENT.replace(/while true do[\s\S]*end\nend$/, 'end')

/** Provides a peer for one test and closes it afterward. */
export async function withPeer<T>(play: (peer: Peer) => Promise<T>, tls?: TlsFiles): Promise<T> {
  const peer = await new Peer(tls).listen()
  try {
    return await play(peer)
  } finally {
    await peer.close()
  }
}

/**
 * Sets up the server: the first heartbeat's response is lost, sessions are accepted after two heartbeats, and
 * the first session is disconnected.
 */
export function tellStory(peer: Peer, script: string): void {
  peer.reset({ script, decide: () => ({ beat: BEATS, ws: SESSION }) })
  const { live } = peer
  live.scene.beat = (n) => (n === 1 ? 'lost' : {})
  live.scene.admit = () => live.beats.length > 2
  live.scene.session = (session) => (session.auth.resume ? part(session) : meet(session))
}

async function meet(session: PeerSession): Promise<void> {
  session.command(1, 'sum', { a: 1, b: 2 })
  session.command(2, 'fail')
  session.command(3, 'nothing')
  await Promise.all([session.result(1), session.result(2), session.result(3)])
  // Cuts the connection while the response is in transit, so that it never arrives.
  session.command(4, 'sum', { a: 20, b: 3 })
  await session.until(({ t, id }) => t === 'ack' && id === '4')
  session.ws.terminate()
}

async function part(session: PeerSession): Promise<void> {
  session.command(4, 'sum', { a: 20, b: 3 })
  session.command(5, 'sum', { a: 4, b: 5 })
  session.send({ t: 'ping', n: 1, st: 1 })
  await Promise.all([session.result(4), session.result(5), session.until(({ t }) => t === 'pong')])
  session.send({ t: 'kick', ...kick('key_expired') })
  session.ws.close(4403)
}

export function expectStory({ live }: Peer): void {
  const [first, second] = live.sessions
  const numbers = live.beats.map(({ n }) => n)
  expect(numbers.slice(0, 3)).toEqual([1, 1, 2])
  expect(live.beats[1]?.body).toBe(live.beats[0]?.body)
  expect(first?.frames.filter(({ t }) => t === 'res').slice(0, 3)).toEqual([
    { t: 'res', id: '1', ok: true, data: { total: 3 } },
    { t: 'res', id: '2', ok: false, reason: expect.stringMatching(/^function errored, message: .*broken$/) },
    { t: 'res', id: '3', ok: false, reason: 'function doesnt exist' },
  ])
  expect(second?.auth).toMatchObject({ t: 'auth', last: '4', resume: expect.any(String) })
  const answers = second?.frames.filter(({ t }) => t === 'res').map(({ data }) => data)
  expect(answers).toEqual([{ total: 23 }, { total: 9 }])
  expect(live.sessions).toHaveLength(2)
  expect(live.ends).toEqual([])
}

/**
 * The part of the run for hosts without WebSocket: a lost response, a change, and a kick with the next
 * heartbeat.
 */
export function tellBeats(peer: Peer, script: string): void {
  peer.reset({ script, decide: () => ({ beat: BEATS, ws: NO_SESSION }) })
  const vars: ChangingVariables = {
    ...{ chat_id: null, note: 'changed', script_name: 'test script' },
    ...{ plan: null, features: {}, in_grace: false, status: 'active' },
  }
  peer.live.scene.beat = (n) => {
    if (n === 1) return 'unheard'
    return n === 2 ? { vars } : kick('key_expired')
  }
}
