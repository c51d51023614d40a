/** Network notation, and which addresses and networks a network contains. */
import { describe, expect, it } from 'vitest'
import { isPart, isWithin, readNetwork } from './networks.ts'

describe('the networks of a token', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::/48', '2001:db8::/48'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
  ])('are stored in one spelling: %s', (given, read) => {
    expect(readNetwork(given)).toBe(read)
  })

  it.each([
    ...['', 'localhost', '203.0.113', '203.0.113.256', '203.0.113.0/33', '203.0.113.0/-1', '203.0.113.0/'],
    ...['203.0.113.0/2x', '203.0.113.0/24/24', '2001:db8::/129', '::ffff:203.0.113.0/24', 'fe80::1%eth0'],
    ...[' 203.0.113.7', '0x7f.1', '010.0.0.1', '*'],
  ])('are invalid if written as %s', (given) => {
    expect(readNetwork(given)).toBeUndefined()
  })

  it('contain an IPv4 address also in its IPv6-mapped form', () => {
    expect(isWithin(['203.0.113.0/24'], '::ffff:203.0.113.9')).toBe(true)
    expect(isWithin(['203.0.113.0/24'], '203.0.113.9')).toBe(true)
    expect(isWithin(['203.0.113.0/24', '2001:db8::/48'], '2001:db8:0:1::1')).toBe(true)
    expect(isWithin(['203.0.113.0/24', '2001:db8::/48'], '2001:db8:1::1')).toBe(false)
    expect(isWithin(['203.0.113.9'], '203.0.113.10')).toBe(false)
    expect(isWithin(['::/0'], '203.0.113.10')).toBe(false)
  })

  it('are part of larger networks and never of smaller ones', () => {
    expect(isPart('203.0.113.0/25', ['198.51.100.1', '203.0.113.0/24'])).toBe(true)
    expect(isPart('203.0.113.7', ['203.0.113.7'])).toBe(true)
    expect(isPart('203.0.113.0/24', ['203.0.113.0/25', '203.0.113.128/25'])).toBe(false)
    expect(isPart('0.0.0.0/0', ['::/0'])).toBe(false)
  })
})
