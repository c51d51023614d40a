/**
 * Decides which of a key's devices a run comes from (client protocol, Fingerprint), and which changed
 * components are learned. All functions are pure. `bindings.ts` reads and writes the rows.
 */
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import type { DeviceTerms } from '../key-validity/terms.ts'
import { type Component, type Device, isStrong } from './device-data.ts'
import type { listUserFingerprints } from './store/user-fingerprints.ts'

/** A device bound to a key. */
export type KnownDevice = {
  readonly id: string
  readonly components: readonly Component[]
  readonly name: string | null
  /** The device's masked data as JSON. */
  readonly display: string | null
  readonly bound_at: number | null
  readonly last_used_at: number | null
  /** When the device's last changed strong component was learned. */
  readonly learned_at: number | null
}

/** `unbound`: the key allows another device. `missing`: the run sent no strong component. */
export type DeviceMatch = 'unbound' | 'same' | 'different' | 'missing'
export type Recognition =
  | { readonly match: 'same'; readonly device: KnownDevice }
  | { readonly match: Exclude<DeviceMatch, 'same'> }

/** Maximum number of devices per key. Each execution reads the components of all of them. */
export const MAX_DEVICES = 20
const DAY_MS = 86_400_000
/** Weight of a strong component, and of any other component. */
const WEIGHTS = { strong: 2, other: 1 } as const
/**
 * Minimum matching weight. A single weak component often matches by coincidence, for example within a
 * household.
 */
const LEAST_WEIGHT = 2
/** Minimum matching weight for a changed strong component to be learned. */
const TRUSTED_WEIGHT = 3

export function recognize(
  known: readonly KnownDevice[],
  device: Device,
  { most, rule }: DeviceTerms,
): Recognition {
  if (!device.components.some(isStrong)) return { match: 'missing' }
  const found = known
    .map((one) => ({ one, ...compare(one.components, device) }))
    .filter((compared) => RULES[rule](compared))
    .sort((a, b) => weigh(b.agreeing) - weigh(a.agreeing) || lastUse(b.one) - lastUse(a.one))
  if (found[0]) return { match: 'same', device: found[0].one }
  return { match: known.length < most ? 'unbound' : 'different' }
}

/** The most recently used of these devices. */
export function lastUsed(known: readonly KnownDevice[]): KnownDevice | undefined {
  return known.toSorted((a, b) => lastUse(b) - lastUse(a))[0]
}

/**
 * Returns the changed components of a device to learn: all that aren't strong, and one strong component per
 * day if enough others match. Under the strict rule, no component is learned.
 */
export function learnedComponents(
  known: KnownDevice,
  device: Device,
  rule: DeviceRule,
  now: number,
): readonly Component[] {
  if (rule === 'strict') return []
  const { agreeing, changed } = compare(known.components, device)
  const mayLearn = known.learned_at === null || now - known.learned_at >= DAY_MS
  const isTrusted = mayLearn && weigh(agreeing) >= TRUSTED_WEIGHT
  const strong = isTrusted ? changed.filter(isStrong).slice(0, 1) : []
  return [...strong, ...changed.filter((one) => !isStrong(one))]
}

/** Groups stored rows by device. */
export function groupDevices(rows: Awaited<ReturnType<typeof listUserFingerprints>>): KnownDevice[] {
  const devices = new Map<string, KnownDevice & { readonly components: Component[] }>()
  for (const { device: id, component, strength, hash, ...stored } of rows) {
    const one = devices.get(id) ?? { id, ...stored, components: [] }
    one.components.push({ component, strength, hash })
    devices.set(id, one)
  }
  return [...devices.values()]
}

/** The components that both devices have, grouped by whether they match. */
type Compared = { readonly agreeing: readonly Component[]; readonly changed: readonly Component[] }

function compare(stored: readonly Component[], device: Device): Compared {
  const known = new Set(stored.map(({ component }) => component))
  const values = new Set(stored.map(keyOf))
  const common = device.components.filter((one) => known.has(one.component))
  const agrees = (one: Component) => values.has(keyOf(one))
  return { agreeing: common.filter(agrees), changed: common.filter((one) => !agrees(one)) }
}

const RULES: Readonly<Record<DeviceRule, (compared: Compared) => boolean>> = {
  /**
   * All strong components that both devices have must match. If they have no strong component in common, two
   * other components must match.
   */
  strict: ({ agreeing, changed }) => {
    if (changed.some(isStrong)) return false
    return agreeing.some(isStrong) || agreeing.length >= LEAST_WEIGHT
  },
  /** At least 60% of the total weight must match. */
  tolerant: ({ agreeing, changed }) => {
    const weight = weigh(agreeing)
    return weight >= LEAST_WEIGHT && weight * 10 >= (weight + weigh(changed)) * 6
  },
}

function weigh(components: readonly Component[]): number {
  return components.reduce((sum, one) => sum + (isStrong(one) ? WEIGHTS.strong : WEIGHTS.other), 0)
}

function keyOf({ component, hash }: Component): string {
  return `${component} ${hash}`
}

function lastUse({ last_used_at, bound_at }: KnownDevice): number {
  return last_used_at ?? bound_at ?? 0
}
