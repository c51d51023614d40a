/**
 * The names by which bans are looked up. A run has a name for each strong component of its device, for each network
 * that may be banned for it, and for its Discord account. It is banned when a ban has one of these names. Pure.
 */
import { networkDigits } from '../../platform/limits/networks.ts'
import { readNetwork } from '../access/networks.ts'
import { type Device, isStrong } from '../devices/devices.ts'

/** A network that may be banned: its digits as `networkDigits` formats them, with zeros after its length. */
export type BannedNetwork = { readonly digits: string; readonly length: number }

type Family = {
  /** Number of bits in the digits. */
  readonly bits: number
  /** Prefix lengths of the largest and the smallest network that may be banned. */
  readonly widest: number
  readonly narrowest: number
}
const FAMILIES: Readonly<Record<'4' | '6', Family>> = {
  '4': { bits: 32, widest: 16, narrowest: 32 },
  '6': { bits: 64, widest: 32, narrowest: 64 },
}
/** Prefix length of a user's stored network: a /24 for IPv4, a /48 for IPv6. */
const STORED = { '4': 24, '6': 48 } as const

/** Identifying data that a run presents. */
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

/** Parses an address or a CIDR block. Returns a string with the reason if it cannot be blocked. */
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

/** The first and last of its addresses; `whole` is the first stored network that contains it. */
export function rangeOf({ digits, length }: BannedNetwork) {
  const family = familyOf(digits)
  if (family === undefined) return undefined
  const free = (1n << BigInt(family.bits - length)) - 1n
  const last = write(digits, family, bitsOf(digits) | free)
  return { first: digits, last, whole: cut(digits, family, storedLength(digits)) }
}

/** The stored form of the network of an IP address; undefined for anything else. */
export function storedNetworkOf(address: string): string | undefined {
  const digits = networkDigits(address)
  return digits === undefined ? undefined : storedNetworkAround(digits)
}

/** The stored form of the network of an IP address in digits. */
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
 * Names of the bans that cover an entire stored network. A ban of a smaller network may or may not affect
 * a user who was seen in the stored one.
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
 * Translates names into conditions on the stored data of users. Networks smaller than the stored ones are
 * left out.
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

/** Every network that contains an address and may be banned. */
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
