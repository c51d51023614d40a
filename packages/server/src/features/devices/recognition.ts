/**
 * Which of the devices of a key a device is (client protocol, Fingerprint), and what is learned of one that changed. Pure: rows are read
 * and written in `bindings.ts`.
 */
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import type { DeviceTerms } from '../key-validity/terms.ts'
import { type Component, type Device, isStrong } from './devices.ts'
import type { listUserFingerprints } from './store/user-fingerprints.ts'

/** A device that a key is bound to. */
export type KnownDevice = {
  readonly id: string
  readonly components: readonly Component[]
  readonly name: string | null
  /** JSON of its masked parts. */
  readonly display: string | null
  readonly bound_at: number | null
  readonly last_used_at: number | null
  /** When it last took over a strong component. */
  readonly learned_at: number | null
}

/** `unbound`: there is room for it. `missing`: nothing strong to judge by. */
export type DeviceMatch = 'unbound' | 'same' | 'different' | 'missing'
export type Recognition =
  | { readonly match: 'same'; readonly device: KnownDevice }
  | { readonly match: Exclude<DeviceMatch, 'same'> }

/** That a key may have; each costs an execution the read of its components. */
export const MAX_DEVICES = 20
const DAY_MS = 86_400_000
/** What a strong component and every other one count. */
const WEIGHTS = { strong: 2, other: 1 } as const
/** One weak component agrees too often by chance, for example within one household. */
const LEAST_WEIGHT = 2
/** Of what agrees, before a strong component that changed is believed. */
const TRUSTED_WEIGHT = 3

export function recognise(
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

/** The device of these that was used last. */
export function lastUsed(known: readonly KnownDevice[]): KnownDevice | undefined {
  return known.toSorted((a, b) => lastUse(b) - lastUse(a))[0]
}

/**
 * The components that a device has changed and that are believed: all that are not strong, and one strong one a day when enough of
 * the others agree. A device that must agree in all of them has nothing to learn.
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

/** Rows as they are stored, by the device that they are of. */
export function groupDevices(rows: Awaited<ReturnType<typeof listUserFingerprints>>): KnownDevice[] {
  const devices = new Map<string, KnownDevice & { readonly components: Component[] }>()
  for (const { device: id, component, strength, hash, ...stored } of rows) {
    const one = devices.get(id) ?? { id, ...stored, components: [] }
    one.components.push({ component, strength, hash })
    devices.set(id, one)
  }
  return [...devices.values()]
}

/** Of the components that both have. */
type Compared = { readonly agreeing: readonly Component[]; readonly changed: readonly Component[] }

function compare(stored: readonly Component[], device: Device): Compared {
  const known = new Set(stored.map(({ component }) => component))
  const values = new Set(stored.map(keyOf))
  const common = device.components.filter((one) => known.has(one.component))
  const agrees = (one: Component) => values.has(keyOf(one))
  return { agreeing: common.filter(agrees), changed: common.filter((one) => !agrees(one)) }
}

const RULES: Readonly<Record<DeviceRule, (compared: Compared) => boolean>> = {
  /** Every strong one; where none is known to both, two others. */
  strict: ({ agreeing, changed }) => {
    if (changed.some(isStrong)) return false
    return agreeing.some(isStrong) || agreeing.length >= LEAST_WEIGHT
  },
  /** At least 60 % of the weight. */
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
