/** Groups IP addresses into networks, so that all addresses of one network count as one caller. */
import { isIPv4, isIPv6 } from 'node:net'

/** The IPv4 address itself, or the /64 that providers assign to one IPv6 customer. */
export function networkOf(address: string): string {
  // Skips parsing, which costs a microsecond, because most addresses are IPv4.
  if (!address.includes(':')) return address
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv6(plain) ? `${expandIPv6(plain).slice(0, 4).join(':')}::/64` : plain
}

/** The /24 of an IPv4 address or the /48 of an IPv6 address. */
export function prefixOf(address: string): string {
  const plain = plainOf(address)
  if (plain.includes(':') && isIPv6(plain)) return `${expandIPv6(plain).slice(0, 3).join(':')}::/48`
  return `${plain.split('.').slice(0, 3).join('.')}.0/24`
}

/** IPv4 and IPv6 prefixes can't be compared, because a household can have both. */
export function compareNetworks(one: string, other: string): 'same' | 'different' | 'unknown' {
  if (one.includes(':') !== other.includes(':')) return 'unknown'
  return one === other ? 'same' : 'different'
}

/** Compares addresses regardless of notation. */
export function isSameAddress(one: string, other: string): boolean {
  return fullOf(one) === fullOf(other)
}

/** The eight groups of an IPv6 address, without leading zeros. */
function expandIPv6(address: string): string[] {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const left = groups(head)
  const right = groups(tail ?? '')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array<string>(missing).fill('0'), ...right]
}

function groups(text: string): string[] {
  if (text === '') return []
  return text.split(':').map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
}

function fullOf(address: string): string {
  const plain = plainOf(address)
  return isIPv6(plain) ? expandIPv6(plain).join(':') : plain
}

/** A dual-stack socket reports IPv4 addresses as IPv6. */
function plainOf(address: string): string {
  return address.startsWith('::') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address
}

const IPV4_DIGITS = 8
/** A /64 is the smallest IPv6 allocation. */
const IPV6_GROUPS = 4

/**
 * The bits for comparing networks, as hex digits of a fixed length: a 4 and all 32 bits of IPv4, or a 6 and
 * the first 64 bits of IPv6. Undefined for anything that isn't an IP address.
 */
export function networkDigits(address: string): string | undefined {
  const plain = plainOf(address)
  if (isIPv4(plain)) {
    const value = plain.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
    return `4${value.toString(16).padStart(IPV4_DIGITS, '0')}`
  }
  if (!isIPv6(plain)) return undefined
  const groups = expandIPv6(plain).map((group) => group.padStart(4, '0'))
  // An IPv4-mapped address.
  if (groups.slice(0, 6).join('') === MAPPED) return `4${groups.slice(6).join('')}`
  return `6${groups.slice(0, IPV6_GROUPS).join('')}`
}

const MAPPED = `${'0000'.repeat(5)}ffff`
