/** Parsing, storing and comparing networks, and the names used to look up a run's bans. */
import { describe, expect, it } from 'vitest'
import {
  formatNetwork,
  namesOf,
  networkName,
  rangeOf,
  readBannedNetwork,
  readStoredNetwork,
  storedNetworkOf,
} from './ban-names.ts'

const written = (text: string) => {
  const network = readBannedNetwork(text)
  return typeof network === 'string' ? network : formatNetwork(network)
}
const isHit = (network: string, address: string) => {
  const banned = readBannedNetwork(network)
  if (typeof banned === 'string') throw new Error(banned)
  return namesOf({ hashes: [], address, chatId: null }).includes(networkName(banned))
}

describe('the network of a ban', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    [' 203.0.113.7/24 ', '203.0.113.0/24'],
    ['203.0.113.255/25', '203.0.113.128/25'],
    ['203.0.113.7/16', '203.0.0.0/16'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:cb00:7107', '203.0.113.7/32'],
    ['::FFFF:203.0.113.7/120', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:5:6/128', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2ff::/56', '2001:db8:1:200::/56'],
    ['2001:db8:1:2::/32', '2001:db8::/32'],
  ])('written as %s is stored as %s', (given, stored) => {
    expect(written(given)).toBe(stored)
  })

  it.each(['0.0.0.0/0', '203.0.0.0/15', '::ffff:203.0.113.7/111', '2001:db8::/31', '::/0'])(
    'is too wide if it is %s',
    (given) => {
      expect(written(given)).toContain('too wide')
    },
  )

  it.each([
    '',
    'garden',
    '203.0.113',
    '203.0.113.7/33',
    '203.0.113.7/-1',
    '203.0.113.7/24/24',
    'fe80::1%eth0',
  ])('cannot be %o', (given) => {
    expect(written(given)).toContain('must be an IP address or a network')
  })
})

describe('a network ban', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.0/24', '::ffff:203.0.113.9', true],
    ['203.0.113.9', '203.0.113.9', true],
    ['203.0.113.9', '203.0.113.8', false],
    ['203.0.0.0/16', '203.0.200.1', true],
    ['2001:db8:1::/48', '2001:db8:1:ffff:1::', true],
    ['2001:db8:1::/48', '2001:db8:2::1', false],
    ['2001:db8:1:2::/64', '2001:db8:1:2:ffff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
  ])('on %s applies to %s: %s', (network, address, hit) => {
    expect(isHit(network, address)).toBe(hit)
  })

  it('applies to no invalid IP address', () => {
    expect(namesOf({ hashes: [], address: 'unix socket', chatId: '' })).toEqual([])
  })
})

describe('the network of a user', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::9', '2001:db8:1::/48'],
  ])('at %s is stored as %s', (address, stored) => {
    expect(formatNetwork(readStoredNetwork(storedNetworkOf(address) ?? ''))).toBe(stored)
  })

  it('is found by the networks that it contains and by those that contain it', () => {
    const user = storedNetworkOf('203.0.113.7') ?? ''
    const finds = (text: string) => {
      const network = readBannedNetwork(text)
      const range = typeof network === 'string' ? undefined : rangeOf(network)
      return range !== undefined && user >= range.whole && user <= range.last
    }
    expect(['203.0.113.99', '203.0.113.0/24', '203.0.0.0/16'].map(finds)).toEqual([true, true, true])
    expect(['203.0.112.0/24', '203.1.0.0/16'].map(finds)).toEqual([false, false])
  })
})
