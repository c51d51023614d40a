/** Networks that a token may be used from: IP addresses and CIDR blocks in their shortest notation. */
import { BlockList, isIP, isIPv6 } from 'node:net'

const BITS = { 4: 32, 6: 128 } as const
/** Number of prefix bits before the IPv4 address in an IPv4-mapped IPv6 address. */
const MAPPED_BITS = 96
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/

/**
 * Returns undefined unless `text` is an IP address or a CIDR block. A block of IPv4-mapped IPv6 addresses
 * becomes an IPv4 block.
 */
export function readNetwork(text: string): string | undefined {
  const [base = '', length, ...rest] = text.split('/')
  const family = isIP(base)
  if (family === 0 || base.includes('%') || rest.length > 0) return undefined
  const address = plainAddress(base)
  if (length === undefined) return address
  const isMapped = family === 6 && !address.includes(':')
  const bits = isMapped ? Number(length) - MAPPED_BITS : Number(length)
  const isLength = /^\d{1,3}$/.test(length) && bits >= 0 && bits <= BITS[isIPv6(address) ? 6 : 4]
  return isLength ? `${address}/${bits}` : undefined
}

/** Whether an address is in one of the networks. IPv6 blocks never contain IPv4 addresses. */
export function isWithin(networks: readonly string[], address: string): boolean {
  const plain = address.includes(':') ? plainAddress(address) : address
  const family = familyOf(plain)
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', length] = network.split('/')
    if (familyOf(base) !== family) continue
    if (length === undefined) list.addAddress(base, family)
    else list.addSubnet(base, Number(length), family)
  }
  return list.check(plain, family)
}

/** Whether a network is part of one of the others. */
export function isPart(network: string, others: readonly string[]): boolean {
  const base = network.split('/')[0] ?? ''
  return others.some((other) => lengthOf(other) <= lengthOf(network) && isWithin([other], base))
}

function lengthOf(network: string): number {
  const [base = '', length] = network.split('/')
  return length === undefined ? BITS[isIPv6(base) ? 6 : 4] : Number(length)
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

/** A dual-stack socket reports an IPv4 address as an IPv4-mapped IPv6 address. */
function plainAddress(address: string): string {
  if (!isIPv6(address)) return address
  const short = URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname.slice(1, -1) ?? address
  const [, high, low] = MAPPED.exec(short) ?? []
  if (high === undefined || low === undefined) return short
  const value = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
}
