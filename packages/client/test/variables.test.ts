// Tests how a script reads its owner's variables and announcements on every host, against a server that
// changes them.
import { describe, expect } from 'vitest'
import { kick } from '../src/live-messages.ts'
import { testOnEveryHost } from './every-host.ts'
import type { Peer } from './peer.ts'
import { BEATS, NO_SESSION } from './story.ts'

describe('variables and announcements', () => {
  const script = `return function(ward)
    local kept, stopped = ward.vars, false
    local function show(value)
      if type(value) ~= 'table' then return tostring(value) end
      return 'table ' .. tostring(value.port or value[1])
    end
    ward.on_change = function(name, new, old)
      print(name, show(new), show(old))
      if name == 'vars.motd' then error('of the script alone') end
    end
    ward.on_announcement = function(announcement)
      print('told', announcement.id, announcement.text, announcement.level, announcement == ward.announcement)
      error('of the script alone too')
    end
    print(kept.motd, kept.open, kept.server.port, kept.list[2], kept.list[3] == ward.null, ward.announcement.text)
    while kept.motd ~= 'bye' do ward.step() end
    print(kept.motd, kept.open, kept.server.port, kept.list, kept.rates[1], ward.vars == kept)
    while ward.announcement do ward.step() end
    print(kept.motd, kept.server.port)
    while ward.note ~= 'last' do ward.step() end
    print(next(kept))
  end`
  const before = 'hello\tfalse\t7001\tb\ttrue\tback at ten'
  const changes = [
    'announcement\ttable nil\ttable nil',
    'told\tann_2\tgone tomorrow\tcritical\ttrue',
    'vars.list\tnil\ttable a',
    'vars.motd\tbye\thello',
    'vars.open\ttrue\tfalse',
    'vars.rates\ttable 1.5\tnil',
    'vars.server\ttable 7002\ttable 7001',
    'bye\ttrue\t7002\tnil\t1.5\ttrue',
  ]
  const second = ['announcement\tnil\ttable nil', 'bye\t7002']
  const third = [
    'note\tlast\ta note',
    'vars.motd\tnil\tbye',
    'vars.open\tnil\ttrue',
    'vars.rates\tnil\ttable 1.5',
    'vars.same\tnil\ttable 1',
    'vars.server\tnil\ttable 7002',
    'nil',
  ]

  const rest = {
    chat_id: null,
    note: 'a note',
    script_name: 'test script',
    plan: null,
    in_grace: false,
    status: 'active' as const,
  }
  const first = {
    ...{ ...rest, features: {}, is_premium: true, executions: 3, seconds_left: null },
    supports_sessions: false,
  }
  const until = 1_900_000_000_000
  const same = [1, { deep: [true, 'x'] }]
  const granted = {
    vars: { motd: 'hello', open: false, server: { port: 7001 }, list: ['a', 'b', null], same },
    announcement: { id: 'ann_1', text: 'back at ten', level: 'info', until },
  } as const
  const changed = {
    vars: { motd: 'bye', open: true, server: { port: 7002 }, rates: [1.5], same },
    announcement: { id: 'ann_2', text: 'gone tomorrow', level: 'critical', until },
  } as const

  function tellChanges(peer: Peer): void {
    peer.reset({
      script,
      decide: () => ({ vars: { ...first, ...granted }, beat: BEATS, ws: NO_SESSION }),
    })
    // A host with threads may send a heartbeat before the script begins. Later, each step of the script sends
    // one.
    peer.live.scene.beat = (n) => {
      if (n === 1) return {}
      if (n === 2) return { vars: { ...rest, features: {}, ...changed } }
      // An omitted group means that nothing in it has changed.
      if (n === 3) return { vars: { ...rest, features: {} } }
      return n === 4 ? { vars: { ...rest, note: 'last', features: {}, vars: {} } } : kick('disconnected')
    }
  }

  function expectFollowed(stdout: string): void {
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('kicked: '))
    expect(lines[0]).toBe(before)
    // Threads print in no particular order.
    expect(lines.slice(1).sort()).toEqual([...changes, ...second, ...third].sort())
  }

  testOnEveryHost('are updated in tables that a script keeps, and reported', tellChanges, expectFollowed)

  const wiping = `return function(ward)
    local step, vars = ward.step, ward.vars
    for name in pairs(ward) do ward[name] = nil end
    ward.announcement = true
    while vars.motd ~= 'bye' do step() end
    print(vars.motd, vars.open)
  end`

  testOnEveryHost(
    'still change after a script has wiped its ward table',
    (peer) => {
      peer.reset({
        script: wiping,
        decide: () => ({ vars: { ...first, ...granted }, beat: BEATS, ws: NO_SESSION }),
      })
      peer.live.scene.beat = (n) => {
        if (n > 2) return kick('disconnected')
        return n === 1 ? {} : { vars: { ...rest, features: {}, ...changed } }
      }
    },
    (stdout) => expect(stdout).toContain('bye\ttrue\n'),
  )
})
