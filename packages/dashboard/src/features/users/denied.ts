/** Finds the devices in a key's denials. */
import type { Denial } from './record/problem.ts'

export type DeniedDevice = {
  readonly id: string
  /** Masked fingerprint. Empty if the device has no identity. */
  readonly name: string
  readonly reason: Denial['reason']
  /** Masked IP address. */
  readonly ip: string
  readonly executor: string
  /** Time of the last denial. */
  readonly at: number
  readonly count: number
  /** Whether the key could be bound to this device. */
  readonly canBind: boolean
}

const DAYS_MS = 7 * 86_400_000
const REASONS: readonly Denial['reason'][] = [
  'fingerprint_mismatch',
  'fingerprint_missing',
  'fingerprint_ambiguous',
]

/** Returns each denied device once, most recent first. */
export function deniedDevicesIn(denials: readonly Denial[], now: number): DeniedDevice[] {
  const found = new Map<string, DeniedDevice>()
  const newestFirst = [...denials].sort((one, other) => other.last_at - one.last_at)
  for (const denial of newestFirst) {
    const { reason, client, last_at } = denial
    if (!REASONS.includes(reason) || last_at < now - DAYS_MS) continue
    const id = `${reason} ${client.fingerprint || client.ip}`
    const latest = found.get(id) ?? deviceOf(id, denial)
    found.set(id, { ...latest, count: latest.count + denial.count + denial.left_out })
  }
  return [...found.values()]
}

function deviceOf(id: string, { reason, client, last_at }: Denial): DeniedDevice {
  const { fingerprint: name, ip, executor } = client
  return { id, name, reason, ip, executor, at: last_at, count: 0, canBind: reason === 'fingerprint_mismatch' }
}

/**
 * Converts the visible part of a masked IP address, such as `203.0.*.*`, to the network that it belongs to.
 */
export function networkOf(ip: string): string | undefined {
  const [first, second] = ip.split(/[.:]/)
  if (!(first && second) || first === '*' || second === '*') return undefined
  return ip.includes(':') ? `${first}:${second}::/32` : `${first}.${second}.0.0/16`
}
