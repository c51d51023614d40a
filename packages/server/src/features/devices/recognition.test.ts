/** Matching a run to a key's devices under each rule, and learning changed components. */

import { FINGERPRINT_STRENGTH } from '@scriptward/client/messages'
import { describe, expect, it } from 'vitest'
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import { type Component, type Device, newComponents, STRENGTHS } from './device-data.ts'
import { type KnownDevice, learnedComponents, MAX_DEVICES, recognize } from './recognition.ts'

const DAY = 86_400_000
const RULES = ['strict', 'tolerant'] as const
type Values = Partial<Record<keyof typeof FINGERPRINT_STRENGTH, string>>

const componentsOf = (values: Values): Component[] =>
  Object.entries(FINGERPRINT_STRENGTH).flatMap(([component, strength]) => {
    const hash = values[component as keyof Values]
    return hash === undefined ? [] : [{ component, strength: STRENGTHS[strength], hash }]
  })
const device = (values: Values): Device => ({ components: componentsOf(values), isAmbiguous: false })
const known = (id: string, values: Values, more: Partial<KnownDevice> = {}): KnownDevice => ({
  ...{ id, components: componentsOf(values), name: null, display: null },
  ...{ bound_at: 0, last_used_at: 0, learned_at: null, ...more },
})

/** Two strong components and four others. `x` is a different value. */
const HOME = { machine_id: 'm', gethwid: 'g', user_identifier: 'a', hostname: 'h', cpu: 'c', os_user: 'u' }

describe('a device counts as the bound one', () => {
  const TABLE: readonly [string, Values, readonly DeviceRule[]][] = [
    ['if all components are the same', HOME, RULES],
    ['if only its strong components are known and all match', { machine_id: 'm', gethwid: 'g' }, RULES],
    ['if only one strong component is known', { machine_id: 'm' }, ['strict', 'tolerant']],
    ['if one strong and one other component match', { machine_id: 'm', cpu: 'c' }, RULES],
    [
      'under the strict rule if all but the strong components changed',
      { ...HOME, user_identifier: 'x', hostname: 'x', cpu: 'x', os_user: 'x' },
      ['strict'],
    ],
    [
      'under the tolerant rule if one of two strong components changed',
      { ...HOME, gethwid: 'x' },
      ['tolerant'],
    ],
    [
      'under the tolerant rule if one strong and one other component changed',
      { ...HOME, gethwid: 'x', cpu: 'x' },
      ['tolerant'],
    ],
    [
      'under no rule if one strong and two other components changed',
      { ...HOME, gethwid: 'x', cpu: 'x', hostname: 'x' },
      [],
    ],
    ['under no rule if both strong components changed', { ...HOME, machine_id: 'x', gethwid: 'x' }, []],
    [
      'if exactly 60 % of the weight matches',
      { machine_id: 'm', cpu: 'c', hostname: 'x', os_user: 'x' },
      RULES,
    ],
    [
      'if a strong component is new and two others match',
      { product_uuid: 'p', cpu: 'c', hostname: 'h' },
      ['strict', 'tolerant'],
    ],
    ['under no rule if a strong component is new and one other matches', { product_uuid: 'p', cpu: 'c' }, []],
    ['under no rule if no component matches', { product_uuid: 'p' }, []],
    [
      'under no rule if another device imitates one strong component',
      { machine_id: 'm', gethwid: 'x', hostname: 'x', cpu: 'x' },
      [],
    ],
  ]
  it.each(TABLE)('%s', (_, values, rules) => {
    const same = RULES.filter(
      (rule) => recognize([known('one', HOME)], device(values), { most: 1, rule }).match === 'same',
    )
    expect(same).toEqual(rules)
  })
})

describe('a key', () => {
  const desk = known('desk', { machine_id: 'd', hostname: 'h' })
  const lap = known('lap', { machine_id: 'l', hostname: 'h' }, { last_used_at: 5 })

  it('accepts an unknown device while there is room, and no other', () => {
    const third = device({ machine_id: 't', hostname: 'h' })
    const match = (most: number, rule: DeviceRule) => recognize([desk, lap], third, { most, rule }).match
    for (const rule of RULES) {
      expect(match(3, rule)).toBe('unbound')
      expect(match(2, rule)).toBe('different')
      expect(match(1, rule)).toBe('different')
    }
  })

  it('accepts no device without a strong component, bound or not', () => {
    const weak = device({ hostname: 'h', cpu: 'c' })
    for (const rule of RULES)
      for (const devices of [[], [desk]])
        expect(recognize(devices, weak, { most: MAX_DEVICES, rule }).match).toBe('missing')
  })

  it('matches the device that agrees most and, among equals, the one used last', () => {
    const terms = { most: 2, rule: 'tolerant' } as const
    const name = (values: Values) => recognize([desk, lap, twin], device(values), terms)
    const twin = known('twin', { machine_id: 'd', cpu: 'c' }, { last_used_at: 9 })
    expect(name({ machine_id: 'd', hostname: 'h' })).toMatchObject({ device: { id: 'desk' } })
    expect(name({ machine_id: 'd' })).toMatchObject({ device: { id: 'twin' } })
    expect(name({ machine_id: 'l' })).toMatchObject({ device: { id: 'lap' } })
  })
})

describe('a known device', () => {
  const learned = (values: Values, rule: DeviceRule, more: Partial<KnownDevice> = {}) =>
    learnedComponents(known('one', HOME, more), device(values), rule, 10 * DAY).map((one) => one.component)

  it('learns components that are not strong, and a strong one only when others with a weight of three agree', () => {
    expect(learned({ ...HOME, cpu: 'x', hostname: 'x' }, 'tolerant')).toEqual(['hostname', 'cpu'])
    expect(learned({ ...HOME, gethwid: 'x' }, 'tolerant')).toEqual(['gethwid'])
    expect(learned({ machine_id: 'm', gethwid: 'x', cpu: 'c' }, 'tolerant')).toEqual(['gethwid'])
    expect(learned({ machine_id: 'm', gethwid: 'x', cpu: 'x' }, 'tolerant')).toEqual(['cpu'])
  })

  it('learns one strong component a day', () => {
    const both = { ...HOME, machine_id: 'x', gethwid: 'x' }
    expect(learned(both, 'tolerant')).toEqual(['gethwid'])
    expect(learned({ ...HOME, gethwid: 'x' }, 'tolerant', { learned_at: 9 * DAY + 1 })).toEqual([])
    expect(learned({ ...HOME, gethwid: 'x' }, 'tolerant', { learned_at: 9 * DAY })).toEqual(['gethwid'])
  })

  it('that must match in every component learns nothing', () => {
    expect(learned({ ...HOME, cpu: 'x' }, 'strict')).toEqual([])
  })

  it('stays recognized when it changes one component a day for a year, while another with its first components is not', () => {
    const terms = { most: 1, rule: 'tolerant' } as const
    const names = Object.keys(HOME) as (keyof typeof HOME)[]
    let stored = known('one', HOME)
    let now: Values = HOME
    for (let day = 1; day <= 365; day += 1) {
      now = { ...now, [names[day % names.length] as string]: `day ${day}` }
      const found = recognize([stored], device(now), terms)
      expect([day, found.match]).toEqual([day, 'same'])
      const changed = learnedComponents(stored, device(now), terms.rule, day * DAY)
      const kept = stored.components.filter(
        (one) => !changed.some((other) => other.component === one.component),
      )
      const components = [...kept, ...changed, ...newComponents(stored.components, device(now))]
      stored = {
        ...stored,
        components,
        learned_at: changed.some((one) => one.strength === 3) ? day * DAY : stored.learned_at,
      }
    }
    expect(recognize([stored], device(HOME), terms).match).toBe('different')
  })
})
