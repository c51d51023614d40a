/**
 * Reads device information from a client's HTTP headers. Executors add headers with their own prefixes.
 * `features/devices` interprets the values.
 */

import type { Origin } from '../../../api/endpoint.ts'
import type { ClientTraits, DeviceTrait } from '../../devices/device-data.ts'

type Headers = Origin['headers']

const DEVICE_HEADER = /^([a-z0-9]{2,20})-(?:fingerprint|hwid|hardware|guid)$/
const ACCOUNT_HEADER = /^([a-z0-9]{2,20})-user-identifier$/
/** Prefixes used by proxies, CDNs and browsers. Headers with these prefixes don't identify a device. */
const FOREIGN_PREFIXES = new Set(
  'akamai amz aws azure browser cdn cf client do fastly fly forwarded gcp ja3 ja4 proxy request sec session ssl tls true via'.split(
    ' ',
  ),
)

export function readTraits(headers: Headers): ClientTraits {
  return {
    devices: matching(headers, DEVICE_HEADER).filter(({ prefix }) => !FOREIGN_PREFIXES.has(prefix)),
    accounts: matching(headers, ACCOUNT_HEADER).map(({ value }) => value),
    userAgent: String(headers['user-agent'] ?? ''),
  }
}

function matching(headers: Headers, pattern: RegExp): DeviceTrait[] {
  const found: DeviceTrait[] = []
  for (const [name, given] of Object.entries(headers)) {
    const prefix = pattern.exec(name.toLowerCase())?.[1]
    const value = [given ?? ''].flat().join(', ').trim()
    if (prefix && value !== '') found.push({ prefix, value })
  }
  return found
}
