/** What counts as one caller when addresses are counted. */
import { isIPv6 } from 'node:net'

/** An IPv4 address, or the /64 that a provider gives to one IPv6 customer. */
export function networkOf(address: string): string {
  // Whether there is an IPv6 address in a text takes a microsecond to find out, and most have none.
  if (!address.includes(':')) return address
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv6(plain) ? `${expandIPv6(plain).slice(0, 4).join(':')}::/64` : plain
}

/** The eight groups of an IPv6 address, without leading zeros. */
export function expandIPv6(address: string): string[] {
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
