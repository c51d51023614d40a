// Tests server function calls over a live session, on every host that supports sessions, against a server
// that answers them.
import { describe, expect, test } from 'vitest'
import { kick, type SessionCall } from '../src/live-messages.ts'
import type { Grant } from '../src/messages.ts'
import type { PeerSession } from './live-peer.ts'
import type { Peer } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { BEATS, SESSION, withPeer } from './story.ts'

/** Schedules heartbeats an hour apart, so that only the script triggers them. */
const LATE: Grant['beat'] = { ...BEATS, first: 3_600_000 }
const PREPARED = COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name)
const HOSTS = [...PREPARED, 'luau']
const LOST = 'the connection was lost during the call'

/** Delays the script until the server sends the `go` command, so that a session exists when it starts. */
const afterReady = (script: string) => `return function(ward)
  local go
  ward.handle('go', function() go = true return {} end)
  while not go do ward.step(0.05) end
  ${script}
end`

/**
 * Repeats `go` until it succeeds, because the session may start in a thread before the script has registered
 * its handler. Returns the number of the next command.
 */
async function begin(session: PeerSession): Promise<number> {
  for (let id = 1; ; id++) {
    session.command(id, 'go')
    if ((await session.result(id)).ok === true) return id + 1
  }
}

function setScene(peer: Peer, script: string): void {
  peer.reset({ script: afterReady(script), decide: () => ({ beat: LATE, ws: SESSION }) })
  peer.live.scene.next = 3_600_000
  peer.live.scene.calls = true
  peer.live.scene.session = begin
}

/** Luau's threads run until they are stopped, so every script ends with a call that ends the run. */
async function printedBy(peer: Peer, command: string, before = ''): Promise<string[]> {
  const text = peer.loader()
  const start = `script_key = "K" ${before}`
  const { stdout } =
    command === 'luau'
      ? await runLuau({ text, before: start, live: true })
      : await runLoader({ command, text, before: start, env: TRANSPORTS.LuaSocket })
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('kicked: '))
}

const callsOf = (peer: Peer) =>
  peer.live.sessions.flatMap(
    ({ frames }) => frames.filter(({ t }) => t === 'call') as unknown as SessionCall[],
  )
const end = (session: PeerSession) => session.send({ t: 'kick', ...kick('key_expired') })
const answerOrEnd = (session: PeerSession, { id, a }: SessionCall) =>
  a[0] === 'last' ? end(session) : session.send({ t: 'answer', id, ...session.scene.answer(a) })

const VALUES = `
  print(ward.ask('echo', 'caf\\195\\169 "\\n', nil))
  local kept = ward.ask('echo', { 1, ward.null, { a = 'b' } })
  print(kept[1], kept[2] == ward.null, kept[3].a)
  print(ward.ask('none'))
  print(ward.ask('fail'))
  print(select('#', ward.server(1)(2, nil, '\\255')))
  print(pcall(ward.server(2), 1))
  ward.ask('last')`

describe('a call', () => {
  test.concurrent.each(HOSTS)(
    'is sent over the session and gets its answer there, in %s',
    async (command) => {
      await withPeer(async (peer) => {
        setScene(peer, VALUES)
        peer.live.scene.call = answerOrEnd
        peer.live.scene.answer = ([name, ...values]) => {
          if (name === 'fail' || name === 2) return { problem: 'out of stock' }
          return { value: name === 'echo' ? values[0] : name === 1 ? [1, null, null] : null }
        }
        expect(await printedBy(peer, command)).toEqual([
          'café "',
          '1\ttrue\tb',
          'nil',
          'nil\tscriptward: ask: out of stock',
          '3',
          'false\tscriptward: out of stock',
        ])
        expect(callsOf(peer).map(({ id, epoch, a }) => [id, epoch, ...a])).toEqual([
          ['1', 1, 'echo', 'café "\n', null],
          ['2', 1, 'echo', [1, null, { a: 'b' }]],
          ['3', 1, 'none'],
          ['4', 1, 'fail'],
          ['5', 1, 1, 2, null, '\u0001b\u00ff'],
          ['6', 1, 2, 1],
          ['7', 1, 'last'],
        ])
        expect(peer.live.beats).toEqual([])
      })
    },
  )

  test.concurrent.each(HOSTS)(
    'is sent with a heartbeat if the server accepts no calls over the session, in %s',
    async (command) => {
      await withPeer(async (peer) => {
        setScene(peer, "print(ward.ask('echo', 1)) ward.ask('last')")
        peer.live.scene.calls = false
        peer.live.scene.beat = (n) => (n > 1 ? kick('key_expired') : {})
        expect(await printedBy(peer, command)).toEqual(['1'])
        expect(peer.live.beats.map(({ a }) => a)).toEqual([[['echo', 1]], [['last']]])
        expect(callsOf(peer)).toEqual([])
      })
    },
  )

  test.concurrent.each(HOSTS)(
    'is sent again with its number when the connection breaks, in %s',
    async (command) => {
      await withPeer(async (peer) => {
        setScene(peer, "print(ward.ask('echo', 1)) print(ward.ask('echo', 2)) ward.ask('last')")
        peer.live.scene.session = (session) => session.auth.resume ?? begin(session)
        peer.live.scene.call = (session, call) => {
          if (call.id === '2' && peer.live.sessions.length === 1) session.ws.terminate()
          else answerOrEnd(session, call)
        }
        expect(await printedBy(peer, command)).toEqual(['1', '2'])
        expect(callsOf(peer).map(({ id, epoch }) => [id, epoch])).toEqual([
          ...[
            ['1', 1],
            ['2', 1],
            ['2', 1],
            ['3', 2],
          ],
        ])
        expect(peer.live.beats).toEqual([])
      })
    },
  )

  test.concurrent('fails when the session returns to a server that accepts no calls', async () => {
    await withPeer(async (peer) => {
      setScene(peer, "print(ward.ask('echo', 1)) print(ward.ask('echo', 2))")
      peer.live.scene.call = (session) => {
        peer.live.scene.calls = false
        session.ws.terminate()
      }
      expect(await printedBy(peer, 'lua5.1')).toEqual([`nil\tscriptward: ask: ${LOST}`, '2'])
      expect(peer.live.beats.map(({ a }) => a)).toEqual([[['echo', 2]]])
    })
  })

  test.concurrent('moves to a new connection when the old one has died silently', async () => {
    const faster = `local socket = require('socket') local real, start = socket.gettime, socket.gettime()
      socket.gettime = function() return start + (real() - start) * 2 end`
    await withPeer(async (peer) => {
      setScene(peer, "print(ward.ask('echo', 1)) ward.ask('last')")
      peer.live.scene.call = (session, call) => {
        if (peer.live.sessions.length > 1) answerOrEnd(session, call)
      }
      expect(await printedBy(peer, 'lua5.1', faster)).toEqual(['1'])
      expect(peer.live.sessions[0]?.closed).toBe(4408)
    })
  })

  test.concurrent.each(HOSTS)(
    'fails with the reason if its run ends in the meantime, in %s',
    async (command) => {
      await withPeer(async (peer) => {
        setScene(peer, "print(ward.ask('echo', 1)) print(pcall(ward.server(1))) ward.ask('echo')")
        peer.live.scene.call = end
        const [first, second] = await printedBy(peer, command)
        expect(first).toBe('nil\tscriptward: ask: this run has ended (key_expired)')
        // Without threads, a second call stops the program.
        if (command === 'luau') expect(second).toBe('false\tscriptward: this run has ended (key_expired)')
      })
    },
  )

  test.concurrent.each(['lua5.1', 'luau'])(
    'can be made by handlers of commands and changes, in %s',
    async (command) => {
      const script = `ward.handle('ask', function() return { ward.ask('echo', 'from a command') } end)
      ward.on_change = function() print(ward.ask('echo', 'from a change')) end
      while true do ward.step(0.05) end`
      await withPeer(async (peer) => {
        setScene(peer, script)
        peer.live.scene.session = async (session) => {
          let id = await begin(session)
          const answered = async () => {
            session.command(id, 'ask')
            const { data } = await session.result(id++)
            return data as unknown
          }
          let answer = await answered()
          while (answer === undefined) answer = await answered()
          expect(answer).toEqual(['from a command'])
          const rest = { chat_id: null, script_name: 'test script', plan: 'Pro', in_grace: false }
          const features = { turbo: true, slots: 3, tone: 'blue' }
          session.send({ t: 'set', ...rest, note: 'changed', features, seconds_left: null, status: 'active' })
          expect(await answered()).toEqual(['from a command'])
          end(session)
        }
        expect(await printedBy(peer, command)).toEqual(['from a change'])
      })
    },
  )

  test.concurrent('is answered as soon as the server finishes it, even before earlier calls of other threads', async () => {
    const threads = `local done = 0
      for i = 1, 10 do
        task.spawn(function() print(i, ward.ask('echo', i * 11)) done = done + 1 end)
      end
      while done < 10 do task.wait(0.05) end
      ward.ask('last')`
    await withPeer(async (peer) => {
      setScene(peer, threads)
      const held: SessionCall[] = []
      peer.live.scene.call = (session, call) => {
        if (call.a[0] === 'last') return end(session)
        held.push(call)
        if (held.length === 8) for (const one of held.toReversed()) answerOrEnd(session, one)
      }
      const lines = await printedBy(peer, 'luau')
      expect(lines.toSorted()).toEqual(
        Array.from({ length: 10 }, (_, i) => `${i + 1}\t${(i + 1) * 11}`).toSorted(),
      )
      // A session allows up to eight unanswered calls. Further calls are sent with a heartbeat.
      expect(callsOf(peer)).toHaveLength(9)
      expect(peer.live.beats.flatMap(({ a }) => a ?? [])).toHaveLength(2)
    })
  })
})
