// Tests how a script reads its key's plan and features on every host, against a server that changes them.
import { describe, expect } from 'vitest'
import { kick } from '../src/live-messages.ts'
import { testOnEveryHost } from './every-host.ts'
import type { Peer } from './peer.ts'
import { BEATS, NO_SESSION } from './story.ts'

describe('plan and features', () => {
  const script = `return function(ward)
    local kept = ward.features
    ward.on_change = function(name, new, old)
      print(name, new, old)
      if name == 'plan' then error('of the script alone') end
    end
    print(ward.plan, ward.status, kept.turbo, kept.slots, ward.limit('slots'), ward.limit('none'), ward.limit('turbo') == math.huge)
    while ward.plan == 'Pro' do ward.step() end
    print(kept.slots, kept.turbo, kept.tone, ward.in_grace, ward.status, ward.limit('tone'))
  end`
  const before = 'Pro\tactive\ttrue\t3\t3\t0\ttrue'
  const changes = ['features.slots\t5\t3', 'features.tone\tnil\tblue', 'features.turbo\tnil\ttrue']
  const expected = [
    ...changes,
    'in_grace\ttrue\tfalse',
    'note\tchanged\ta note',
    'plan\tMax\tPro',
    'status\tgrace\tactive',
  ].sort()

  function tellChange(peer: Peer): void {
    peer.reset({ script, decide: () => ({ beat: BEATS, ws: NO_SESSION }) })
    const vars = {
      ...{ chat_id: null, note: 'changed', script_name: 'test script' },
      ...{ plan: 'Max', features: { slots: 5 }, in_grace: true, status: 'grace' as const },
    }
    // A host with threads may send a heartbeat before the script begins. Later, each step of the script sends
    // one.
    peer.live.scene.beat = (n) => {
      if (n === 1) return {}
      return n === 2 ? { vars } : kick('disconnected')
    }
  }

  function expectFollowed(stdout: string): void {
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('kicked: '))
    expect(lines[0]).toBe(before)
    // Threads print in no particular order.
    expect(lines.slice(1).sort()).toEqual([...expected, '5\tnil\tnil\ttrue\tgrace\t0'].sort())
  }

  testOnEveryHost('are updated in tables that a script keeps, and reported', tellChange, expectFollowed)
})
