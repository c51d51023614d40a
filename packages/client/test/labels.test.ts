// Tests how a script reads its key's tags and public metadata on every host, against a server that changes
// them.
import { describe, expect } from 'vitest'
import { kick } from '../src/live-messages.ts'
import { testOnEveryHost } from './every-host.ts'
import type { Peer } from './peer.ts'
import { BEATS, NO_SESSION } from './story.ts'

describe('tags and public metadata', () => {
  const script = `return function(ward)
    local function list(tags) return #tags .. ':' .. table.concat(tags, '+') end
    local function show(value)
      if type(value) ~= 'table' then return tostring(value) end
      return 'guild ' .. tostring(value.guild)
    end
    ward.on_change = function(name, new, old)
      local word = name == 'tags' and list or show
      print(name, word(new), word(old))
      error('of the script alone')
    end
    local first = ward.metadata
    print(list(ward.tags), first.guild, first.none, first.ranks[2] == ward.null, first.ranks[3])
    while ward.note ~= 'second' do ward.step() end
    print(list(ward.tags), show(ward.metadata), first.guild, ward.metadata ~= first)
    while ward.note ~= 'third' do ward.step() end
    print(list(ward.tags), ward.metadata)
    while ward.note ~= 'last' do ward.step() end
    print(list(ward.tags), ward.metadata)
  end`
  const told = [
    '2:vip+ä "b"\tred\tnil\ttrue\t3',
    'metadata\tguild blue\tguild red',
    'note\tsecond\ta note',
    'tags\t3:vip+ä "b"+beta\t2:vip+ä "b"',
    '3:vip+ä "b"+beta\tguild blue\tred\ttrue',
    'metadata\tfalse\tguild blue',
    'note\tthird\tsecond',
    '3:vip+ä "b"+beta\tfalse',
    'metadata\tnil\tfalse',
    'note\tlast\tthird',
    'tags\t0:\t3:vip+ä "b"+beta',
    '0:\tnil',
  ]

  const rest = {
    ...{ chat_id: null, note: 'a note', script_name: 'test script', plan: null, in_grace: false },
    status: 'active' as const,
    features: {},
  }
  const first = { ...rest, is_premium: true, executions: 3, seconds_left: null, supports_sessions: false }
  const tags = ['vip', 'ä "b"']
  const metadata = { guild: 'red', none: null, ranks: [1, null, 3] }
  const changes = [
    { ...rest, note: 'second', tags: [...tags, 'beta'], metadata: { ...metadata, guild: 'blue' } },
    { ...rest, note: 'third', tags: [...tags, 'beta'], metadata: false },
    { ...rest, note: 'last' },
  ]

  function tellChanges(peer: Peer): void {
    peer.reset({
      script,
      decide: () => ({ vars: { ...first, tags, metadata }, beat: BEATS, ws: NO_SESSION }),
    })
    // A host with threads may send a heartbeat before the script begins. Later, each step of the script sends
    // one.
    peer.live.scene.beat = (n) => {
      if (n === 1) return {}
      const vars = changes[n - 2]
      return vars ? { vars } : kick('disconnected')
    }
  }

  function expectFollowed(stdout: string): void {
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('kicked: '))
    expect(lines[0]).toBe(told[0])
    // Threads print in no particular order.
    expect(lines.sort()).toEqual([...told].sort())
  }

  testOnEveryHost('are up to date, and reported when they change', tellChanges, expectFollowed)

  testOnEveryHost(
    'are an empty list and nil if a key has none',
    (peer) => {
      const text = 'return function(ward) print(type(ward.tags), #ward.tags, ward.metadata) end'
      peer.reset({ script: text, decide: () => ({ vars: first, ws: NO_SESSION }) })
    },
    (stdout) => expect(stdout.trim()).toBe('table\t0\tnil'),
  )
})
