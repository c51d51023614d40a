// Tests messages from a script to webhooks, on every host, against a server that receives them with
// heartbeats.
import { describe, expect, test } from 'vitest'
import { kick, readBeat } from '../src/live-messages.ts'
import type { Grant } from '../src/messages.ts'
import { testOnEveryHost } from './every-host.ts'
import type { Peer } from './peer.ts'
import { runLoader, TRANSPORTS } from './run-loader.ts'
import { BEATS, NO_SESSION, withPeer } from './story.ts'

/** Schedules heartbeats an hour apart, so that only the script triggers them. */
const LATE: Grant['beat'] = { ...BEATS, first: 3_600_000 }
const sentTo = (peer: Peer) => peer.live.beats.flatMap(({ m }) => m ?? [])

function setScene(peer: Peer, script: string, beat: Grant['beat']): void {
  peer.reset({ script, decide: () => ({ beat, ws: NO_SESSION }) })
  peer.live.scene.next = 3_600_000
}

/** Waits until everything is sent. Hosts with threads send in the background. */
const WAIT = 'ward.step(1)'
const SCRIPT = `return function(ward)
  print(ward.send(1, 'a text', 12.5, true, nil, 1/0, 'caf\\195\\169 "\\n', '\\255', {} ~= nil))
  print(ward.send(2))
  ${WAIT}
end`
const SENT = [[1, 'a text', 12.5, true, null, expect.stringMatching(/^inf/), 'café "\n', '?', true], [2]]

describe('messages of a script', () => {
  testOnEveryHost(
    'trigger the heartbeats that carry them',
    (peer) => {
      setScene(peer, SCRIPT, LATE)
      // Ends the run with a kick; on hosts with threads, it would otherwise never end.
      peer.live.scene.next = 200
      peer.live.scene.beat = (n) => (n > 5 ? kick('key_expired') : {})
    },
    (stdout) => expect(stdout).toMatch(/^true\ntrue\n/),
  )

  test.concurrent.each([
    ['in a run with heartbeats', LATE],
    ['in a run without heartbeats', { ...LATE, on: false }],
  ])('arrive in order with their values, %s', async (_, beat) => {
    await withPeer(async (peer) => {
      setScene(peer, SCRIPT, beat)
      await runLoader({
        command: 'lua5.1',
        text: peer.loader(),
        before: 'script_key = "K"',
        env: TRANSPORTS.curl,
      })
      expect(sentTo(peer)).toEqual(SENT)
    })
  })

  test.concurrent('arrive exactly once when a response is lost, and so do those queued behind them', async () => {
    await withPeer(async (peer) => {
      const script = `return function(ward)
        print(ward.send(1, 'first'), ward.send(1, 'second'))
        while #ward.vars == 0 do ward.step(1) if ward.note ~= 'a note' then break end end
      end`
      setScene(peer, script, LATE)
      peer.live.scene.beat = (n) => {
        if (n === 1) return 'lost'
        return {
          vars: {
            chat_id: null,
            note: n > 2 ? 'other' : 'a note',
            script_name: '',
            plan: null,
            features: {},
            in_grace: false,
          },
        }
      }
      await runLoader({
        command: 'lua5.1',
        text: peer.loader(),
        before: 'script_key = "K"',
        env: TRANSPORTS.curl,
      })
      const fresh = peer.live.beats.filter(({ up }) => up >= 0)
      expect(fresh.map(({ m }) => m)).toEqual([[[1, 'first']], [[1, 'second']]])
      expect(peer.live.beats[1]?.body).toBe(peer.live.beats[0]?.body)
    })
  })

  test.concurrent('are rejected while too many are waiting, or if one does not fit into a heartbeat', async () => {
    await withPeer(async (peer) => {
      const script = `return function(ward)
        print(ward.send(1, string.rep('x', 9000), string.rep('x', 9000)))
        local big = {} for i = 1, 50 do big[i] = string.rep('x', 2000) end
        print(ward.send(1, (unpack or table.unpack)(big)))
        local taken = 0
        for i = 1, 40 do if ward.send(1, i) then taken = taken + 1 end end
        print(taken)
      end`
      setScene(peer, script, LATE)
      peer.live.scene.beat = (n) => (n > 1 ? 'unheard' : {})
      const { stdout } = await runLoader({
        command: 'lua5.1',
        text: peer.loader(),
        before: 'script_key = "K"',
        env: TRANSPORTS.LuaSocket,
      })
      // The unanswered heartbeat contains the first message, and thirty more are waiting.
      expect(stdout).toBe('true\nfalse\n31\n')
      expect(String(sentTo(peer)[0])).toHaveLength(2 + 8004 + 1 + 8004)
    })
  })

  test.concurrent('are not sent after a kick', async () => {
    await withPeer(async (peer) => {
      setScene(
        peer,
        "return function(ward) ward.send(1, 'x') ward.step(1) print(ward.send(1, 'y')) end",
        LATE,
      )
      peer.live.scene.beat = () => ({ code: 41, reason: 'key_expired', message: 'Your key has expired.' })
      const outcome = await runLoader({
        command: 'lua5.1',
        text: peer.loader(),
        before: 'script_key = "K"',
        env: TRANSPORTS.curl,
      })
      expect(outcome).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('key_expired') })
      expect(sentTo(peer)).toEqual([[1, 'x']])
    })
  })
})

test.each<[unknown, boolean]>([
  [{ up: 1, m: [[1]] }, true],
  [{ up: 1, m: [[10, 'a', 1.5, true, null]], q: [1] }, true],
  [{ up: 1, m: [] }, false],
  [{ up: 1, m: [[]] }, false],
  [{ up: 1, m: [[0]] }, false],
  [{ up: 1, m: [[1.5]] }, false],
  [{ up: 1, m: [['1']] }, false],
  [{ up: 1, m: [[1, {}]] }, false],
  [{ up: 1, m: [[1, ['a']]] }, false],
  [{ up: 1, m: [[1, ...Array(51).fill('')]] }, false],
  [{ up: 1, m: Array(11).fill([1]) }, false],
  [{ up: 1, m: [null] }, false],
])('a heartbeat with messages is parsed strictly: %j', (beat, isRight) => {
  expect(readBeat(Buffer.from(JSON.stringify(beat))) !== undefined).toBe(isRight)
})
