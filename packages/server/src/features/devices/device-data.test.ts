/** How a device's components are derived from the hello and the headers, stored and shown. */
import { createHash } from 'node:crypto'
import { type Hello, LOADER_BUILD } from '@scriptward/client/messages'
import { describe, expect, it } from 'vitest'
import { readTraits } from '../executions/endpoints/client-traits.ts'
import {
  type Device,
  importDevice,
  maskDevice,
  nameDevice,
  newComponents,
  readDevice,
} from './device-data.ts'

const PEPPER = Buffer.alloc(32, 7)
const value = (name: string) => Buffer.alloc(16, name).toString('base64url')

type Given = {
  fp?: Record<string, string>
  headers?: Record<string, string>
  executor?: string
  projectId?: string
}

function device({ fp = {}, headers = {}, executor = 'lua5.1', projectId = 'prj_1' }: Given): Device {
  const hello: Hello = {
    pv: 1,
    lb: LOADER_BUILD,
    sv: 1,
    script: 'scr_1',
    key: null,
    rt: 'lua5.1',
    host: { executor, version: '', platform: '' },
    fp,
    caps: { ws: false, raw: false, lz4: true, buffer: false, post: true, max_body: 0 },
  }
  return readDevice(PEPPER, { hello, traits: readTraits(headers), projectId })
}

const names = (one: Device) => one.components.map(({ component }) => component)

describe('components', () => {
  it('are ordered by strength, and unknown names are ignored', () => {
    const fp = {
      hostname: value('h'),
      user_identifier: value('u'),
      machine_id: value('m'),
      strange: value('s'),
    }
    expect(names(device({ fp }))).toEqual(['machine_id', 'user_identifier', 'hostname'])
  })

  it('from a single device header are hashed as a client would hash them', () => {
    const digest = createHash('sha256').update('lp1 fp\0prj_1\0gethwid\0RAW').digest().subarray(0, 16)
    const own = device({ fp: { gethwid: digest.toString('base64url') } })
    const header = createHash('sha256').update('lp1 fp\0prj_1\0header\0RAW').digest().subarray(0, 16)
    expect(names(own)).toEqual(['gethwid'])
    const read = device({ headers: { 'exploit-guid': 'RAW' } })
    expect(names(read)).toEqual(['header'])
    expect(JSON.stringify(read)).not.toContain(header.toString('base64url'))
    expect(read).toEqual(device({ headers: { 'other-fingerprint': 'RAW' } }))
    expect(read).not.toEqual(device({ headers: { 'exploit-guid': 'RAW' }, projectId: 'prj_2' }))
  })

  it('imported from another service equal those in its header', () => {
    const imported = importDevice(PEPPER, 'prj_1', 'RAW').components
    expect(device({ headers: { 'exploit-guid': 'RAW' } }).components).toEqual(imported)
    expect(device({ headers: { 'exploit-guid': 'OTHER' } }).components).not.toEqual(imported)
  })

  it('include an account header as a separate medium component', () => {
    const both = device({ headers: { 'abc-fingerprint': 'd', 'abc-user-identifier': 'u' } })
    expect(both.components.map(({ component, strength }) => [component, strength])).toEqual([
      ['header', 3],
      ['user_identifier', 2],
    ])
  })
})

describe('device headers', () => {
  it.each([
    ['are not ambiguous if there are none', {}, false],
    ['are not ambiguous if there is one', { 'abc-fingerprint': 'x' }, false],
    ['are ambiguous if there are two', { 'abc-fingerprint': 'x', 'def-hwid': 'y' }, true],
    ['are not ambiguous if one of two is empty', { 'abc-fingerprint': 'x', 'def-hwid': '' }, false],
    [
      'are not ambiguous if all come from proxies',
      { 'cf-fingerprint': 'x', 'x-fingerprint': 'y', 'tls-fingerprint': 'z', 'sec-hardware': 'w' },
      false,
    ],
    ['are not ambiguous if one of two comes from a proxy', { 'abc-guid': 'x', 'fly-guid': 'y' }, false],
  ])('%s', (_, headers, isAmbiguous) => {
    expect(device({ headers: headers as Record<string, string> }).isAmbiguous).toBe(isAmbiguous)
  })

  it('of proxies are ignored', () => {
    expect(names(device({ headers: { 'cf-fingerprint': 'x', 'true-guid': 'y' } }))).toEqual([])
  })

  it.each([
    ['is not ambiguous with its own executor', 'Wave', '', false],
    ['is not ambiguous with its own executor in the user agent', 'Something', 'Wave/1.2', false],
    ['is not ambiguous with an unknown executor', 'Brandnew', '', false],
    ['is ambiguous with another known executor', 'Xeno', '', true],
    ['is ambiguous with a plain interpreter', 'lua5.1', '', true],
  ])('with a known prefix: the device %s', (_, executor, agent, isAmbiguous) => {
    const headers = { 'wave-fingerprint': 'x', 'user-agent': agent }
    expect(device({ headers, executor }).isAmbiguous).toBe(isAmbiguous)
  })
})

describe('new components', () => {
  const own = { machine_id: value('m'), hostname: value('h'), cpu: value('c'), os_user: value('u') }
  const stored = device({ fp: own }).components

  it('are added by an accepted run, up to twelve', () => {
    const more = device({ fp: { ...own, product_uuid: value('p'), hostname: value('changed') } })
    expect(newComponents(stored, more).map(({ component }) => component)).toEqual(['product_uuid'])
    const full = Array.from({ length: 12 }, (_, i) => ({ component: `c${i}`, strength: 1, hash: `${i}` }))
    expect(newComponents(full, more)).toEqual([])
  })
})

describe('for display', () => {
  it('a guest is named by the strongest component, else by all weak ones, else by their IP address', () => {
    const strong = device({ fp: { machine_id: value('m'), hostname: value('h') } })
    expect(nameDevice(PEPPER, strong, '203.0.113.9')).toBe(strong.components[0]?.hash)
    const weak = device({ fp: { hostname: value('h'), cpu: value('c') } })
    expect(nameDevice(PEPPER, weak, '1.1.1.1')).toBe(nameDevice(PEPPER, weak, '2.2.2.2'))
    const bare = device({})
    expect(nameDevice(PEPPER, bare, '1.1.1.1')).not.toBe(nameDevice(PEPPER, bare, '2.2.2.2'))
    expect(nameDevice(PEPPER, bare, '1.1.1.1')).not.toContain('1.1.1.1')
  })

  it.each([
    ['203.0.113.9', '203.0.*.*'],
    ['::ffff:203.0.113.9', '203.0.*.*'],
    ['2001:db8:1::5', '2001:db8:*'],
    ['::1', '0:0:*'],
    ['2001::5', '2001:0:*'],
  ])('the IP address %s is shown as %s', (address, ip) => {
    const masked = maskDevice(device({ fp: { machine_id: value('m') } }), address, 'Wave')
    expect(masked).toEqual({
      ip,
      fingerprint: expect.stringMatching(/^[0-9a-f]{4}…[0-9a-f]{4}$/),
      executor: 'Wa**',
    })
  })
})
