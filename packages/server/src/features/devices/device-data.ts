/**
 * Device data (client protocol, Fingerprint): components from the hello and from headers that executors add,
 * their stored form, and their display. `recognition.ts` decides which of a key's devices the data belongs
 * to. All functions are pure.
 */
import { createHash, createHmac, createSecretKey } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { FINGERPRINT_STRENGTH, type Hello, RUNTIMES, type Strength } from '@scriptward/client/messages'
import { toB64u } from '@scriptward/client/wire'

export type Component = {
  readonly component: string
  readonly strength: number
  /** Peppered hash in hex. It does not reveal the client's value. */
  readonly hash: string
}

export type Device = {
  /** Ordered from strongest to weakest, as in the protocol's table. */
  readonly components: readonly Component[]
  /** Whether the request identifies two devices, or an executor that contradicts the hello. */
  readonly isAmbiguous: boolean
}

/** Device data that an executor adds to the request. `prefix` identifies the executor. */
export type DeviceTrait = { readonly prefix: string; readonly value: string }
/** Device data from a client's HTTP headers. */
export type ClientTraits = {
  readonly devices: readonly DeviceTrait[]
  /** IDs of the account that runs the executor. */
  readonly accounts: readonly string[]
  readonly userAgent: string
}
/** The fields of a hello that describe the device. */
type Shown = Pick<Hello, 'fp' | 'host'>
type DeviceSource = { readonly hello: Shown; readonly traits: ClientTraits; readonly projectId: string }

export const STRENGTHS = { weak: 1, medium: 2, strong: 3 } as const satisfies Record<Strength, number>
/** Maximum number of components stored per user. */
const MAX_COMPONENTS = 12

export function readDevice(pepper: Buffer, { hello, traits, projectId }: DeviceSource): Device {
  const values: Record<string, string> = { ...hello.fp }
  const [only, ...more] = traits.devices
  if (only && more.length === 0) values.header = hashValue(projectId, 'header', only.value)
  const [account, ...otherAccounts] = traits.accounts
  if (account && otherAccounts.length === 0)
    values.user_identifier = hashValue(projectId, 'user_identifier', account)
  return {
    components: componentsOf(pepper, values),
    isAmbiguous:
      more.length > 0 || (only !== undefined && isContradicted(only.prefix, hello, traits.userAgent)),
  }
}

/**
 * A device from another service, which identified devices by the value that executors send in their header.
 */
export function importDevice(pepper: Buffer, projectId: string, value: string): Device {
  const header = hashValue(projectId, 'header', value)
  return { components: componentsOf(pepper, { header }), isAmbiguous: false }
}

/** A device with only these components, whose values a client has hashed. */
export function hashedDevice(pepper: Buffer, values: Readonly<Record<string, string>>): Device {
  return { components: componentsOf(pepper, values), isAmbiguous: false }
}

/** The components that an accepted run adds: those whose name is not stored yet. */
export function newComponents(stored: readonly Component[], device: Device): Component[] {
  const known = new Set(stored.map(({ component }) => component))
  const fresh = device.components.filter((one) => !known.has(one.component))
  return fresh.slice(0, Math.max(0, MAX_COMPONENTS - stored.length))
}

/**
 * Identifies a device without a key: by its strongest component if that is a strong one, otherwise by all
 * components, or by its IP address if it has no components.
 */
export function nameDevice(pepper: Buffer, device: Device, address: string): string {
  const [strongest] = device.components
  if (!strongest) return pepperedHash(pepper, 'address', address)
  if (isStrong(strongest)) return strongest.hash
  return pepperedHash(pepper, 'weak', device.components.map((one) => one.hash).join(' '))
}

export function isStrong(component: Component): boolean {
  return component.strength === STRENGTHS.strong
}

/** The masked data that owners see. It does not reveal the IP address or a component. */
export function maskDevice(device: Device, address: string, executor: string) {
  const hash = device.components[0]?.hash
  return {
    ip: maskAddress(address),
    fingerprint: hash ? maskHash(hash) : 'none',
    executor: `${[...executor].slice(0, 2).join('')}**`,
  }
}

export function maskHash(hash: string): string {
  return `${hash.slice(0, 4)}…${hash.slice(-4)}`
}

function componentsOf(pepper: Buffer, values: Readonly<Record<string, string>>): Component[] {
  const components: Component[] = []
  for (const [component, strength] of Object.entries(FINGERPRINT_STRENGTH)) {
    const value = values[component]
    if (value === undefined) continue
    components.push({
      component,
      strength: STRENGTHS[strength],
      hash: pepperedHash(pepper, component, value),
    })
  }
  return components
}

/** Hashes a value as clients do, so that no raw value is stored. */
function hashValue(projectId: string, name: string, value: string): string {
  const text = ['lp1 fp', projectId, name, value].join('\0')
  return toB64u(createHash('sha256').update(text).digest().subarray(0, 16))
}

function pepperedHash(pepper: Buffer, name: string, value: string): string {
  return createHmac('sha256', createSecretKey(pepper)).update(name).update(value).digest('hex').slice(0, 32)
}

/** Maps each header prefix to its executor. */
const EXECUTOR_NAMES: Readonly<Record<string, RegExp>> = {
  syn: /synapse/i,
  sw: /script-?\s?ware/i,
  krnl: /krnl/i,
  flux: /flux/i,
  fluxus: /flux/i,
  delta: /delta/i,
  codex: /codex/i,
  wave: /wave/i,
  solara: /solara/i,
  xeno: /xeno/i,
  trigon: /trigon/i,
  sentinel: /sentinel/i,
  proto: /proto/i,
}

/**
 * A known prefix contradicts a host that reports a different known executor. It also contradicts a plain
 * interpreter, which adds no headers. Unknown names contradict nothing, because executors change their names.
 */
function isContradicted(prefix: string, hello: Shown, userAgent: string): boolean {
  const own = EXECUTOR_NAMES[prefix]
  const { executor } = hello.host
  if (!own || own.test(executor) || own.test(userAgent)) return false
  const isOther = Object.values(EXECUTOR_NAMES).some((name) => name.test(executor))
  return isOther || (RUNTIMES as readonly string[]).includes(executor)
}

function maskAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv6(plain)) return `${firstGroups(plain)}:*`
  return `${plain.split('.').slice(0, 2).join('.')}.*.*`
}

function firstGroups(address: string): string {
  const [first = '0', second = '0'] = address.split(':')
  return `${first || '0'}:${second || '0'}`
}
