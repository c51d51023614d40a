/**
 * Names used to look up bans. A run has one name for each strong component of its device, one for each
 * bannable network that contains its address, and one for its Discord account. A ban applies to the run if
 * the ban has any of these names. All functions are pure.
 */
import { networkDigits } from '../../platform/limits/networks.ts'
import { readNetwork } from '../access/networks.ts'
import { type Device, isStrong } from '../devices/device-data.ts'

/**
 * A network that can be banned. `digits` is its address as `networkDigits` formats it, with zeros after the
 * prefix.
 */
export type BannedNetwork = { readonly digits: string; readonly length: number }

type Family = {
  /** Number of bits that `digits` represents. */
  readonly bits: number
  /** Prefix lengths of the largest and smallest networks that can be banned. */
  readonly widest: number
  readonly narrowest: number
}
const FAMILIES: Readonly<Record<'4' | '6', Family>> = {
  '4': { bits: 32, widest: 16, narrowest: 32 },
  '6': { bits: 64, widest: 32, narrowest: 64 },
}
/** Prefix lengths of the networks stored for users. */
const STORED = { '4': 24, '6': 48 } as const

/** Data that identifies a run. */
export type Shown = {
  readonly hashes: readonly string[]
  readonly address: string | undefined
  readonly chatId: string | null | undefined
}

export function namesOf({ hashes, address, chatId }: Shown): string[] {
  return [
    ...hashes.map(deviceName),
    ...(address === undefined ? [] : networksAround(address).map(networkName)),
    ...(chatId ? [chatName(chatId)] : []),
  ]
}

export function hashesOf({ components }: Device): string[] {
  return components.filter(isStrong).map(({ hash }) => hash)
}

export const deviceName = (hash: string): string => `d:${hash}`
export const networkName = ({ digits, length }: BannedNetwork): string => `n:${digits}/${length}`
export const chatName = (id: string): string => `c:${id}`

/** Parses an IP address or CIDR block. Returns an error message if it can't be banned. */
export function readBannedNetwork(text: string): BannedNetwork | string {
  const network = readNetwork(text.trim())
  if (network === undefined)
    return 'must be an IP address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48'
  const [base = '', given] = network.split('/')
  const digits = networkDigits(base)
  const family = familyOf(digits ?? '')
  if (digits === undefined || family === undefined) return 'must be an IP address or a network'
  const { widest, narrowest } = family
  const length = given === undefined ? narrowest : Math.min(Number(given), narrowest)
  if (length < widest) return `is too wide: the maximum is /16 for IPv4 and /32 for IPv6`
  return { digits: cut(digits, family, length), length }
}

/**
 * The first and last address of the network. `whole` is the stored network that contains the first address.
 */
export function rangeOf({ digits, length }: BannedNetwork) {
  const family = familyOf(digits)
  if (family === undefined) return undefined
  const free = (1n << BigInt(family.bits - length)) - 1n
  const last = write(digits, family, bitsOf(digits) | free)
  return { first: digits, last, whole: cut(digits, family, storedLength(digits)) }
}

/** Returns the stored network of an IP address, or undefined for anything else. */
export function storedNetworkOf(address: string): string | undefined {
  const digits = networkDigits(address)
  return digits === undefined ? undefined : storedNetworkAround(digits)
}

/** Returns the stored network of an IP address that is given as digits. */
export function storedNetworkAround(digits: string): string | undefined {
  const family = familyOf(digits)
  return family && cut(digits, family, storedLength(digits))
}

export function readStoredNetwork(digits: string): BannedNetwork {
  return { digits, length: storedLength(digits) }
}

/** Formats a network in the usual notation. */
export function formatNetwork({ digits, length }: BannedNetwork): string {
  const hex = digits.slice(1)
  if (digits.startsWith('4')) {
    const parts = hex.match(/../g) ?? []
    return `${parts.map((part) => Number.parseInt(part, 16)).join('.')}/${length}`
  }
  const address = `${(hex.match(/..../g) ?? []).join(':')}::`
  return `${URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? address}/${length}`
}

/**
 * Names of bans that cover an entire stored network. Bans of smaller networks are left out, because a user of
 * the stored network may be outside the smaller one.
 */
export function namesOfStored(digits: string): string[] {
  const family = familyOf(digits)
  if (family === undefined) return []
  const count = storedLength(digits) - family.widest + 1
  return Array.from({ length: count }, (_, i) => {
    const length = family.widest + i
    return networkName({ digits: cut(digits, family, length), length })
  })
}

/**
 * Translates ban names into conditions on users' stored data. Networks smaller than the stored ones are
 * omitted.
 */
export function meaningOf(names: readonly string[]) {
  const valuesOf = (kind: string) =>
    names.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(2))
  const ranges = valuesOf('n').flatMap((value) => {
    const [digits = '', length] = value.split('/')
    const network = { digits, length: Number(length) }
    const range = network.length > storedLength(digits) ? undefined : rangeOf(network)
    return range ? [{ first: range.first, last: range.last }] : []
  })
  return { hashes: valuesOf('d'), chatIds: valuesOf('c'), ranges }
}

/** Yields each bannable network that contains the address. */
function networksAround(address: string): BannedNetwork[] {
  const digits = networkDigits(address)
  const family = digits === undefined ? undefined : familyOf(digits)
  if (digits === undefined || family === undefined) return []
  const count = family.narrowest - family.widest + 1
  return Array.from({ length: count }, (_, i) => {
    const length = family.widest + i
    return { digits: cut(digits, family, length), length }
  })
}

function familyOf(digits: string): Family | undefined {
  return FAMILIES[digits.charAt(0) as '4' | '6']
}

function storedLength(digits: string): number {
  return STORED[digits.charAt(0) as '4' | '6']
}

function cut(digits: string, family: Family, length: number): string {
  const free = BigInt(family.bits - length)
  return write(digits, family, (bitsOf(digits) >> free) << free)
}

function bitsOf(digits: string): bigint {
  return BigInt(`0x${digits.slice(1)}`)
}

function write(digits: string, { bits }: Family, value: bigint): string {
  return digits.charAt(0) + value.toString(16).padStart(bits / 4, '0')
}
