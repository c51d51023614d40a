/**
 * Parses the values of settings. Each reader throws an Error that contains the name of the setting, the
 * problem and the fix.
 */
import { isIP } from 'node:net'
import { isAgePublicKey } from '../platform/secrets/age.ts'

/** Parses the value of the `name` setting, or returns the default if the setting is empty. */
export type Reader<T> = (name: string, text: string) => T

/** Node's timers fire immediately if the delay is longer than this. */
export const MAX_MS = 2 ** 31 - 1
/** The longest string that V8 supports. */
export const MAX_BYTES = 512 * 1024 * 1024

export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (name, text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${text}"`)
    return value
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Converts a duration such as 30m, 6h or 1d to milliseconds. */
export const duration: Reader<number> = (name, text) => {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const ms = Number(count) * (UNITS_MS[unit] ?? 0)
  if (!(ms > 0 && ms <= MAX_MS))
    throw new Error(`${name} must be a duration such as 30m, 6h or 1d, at most 24d, not "${text}"`)
  return ms
}

export const factor: Reader<number> = (name, text) => {
  if (!/^\d{1,9}(\.\d+)?$/.test(text))
    throw new Error(`${name} must be a number such as 0, 0.5 or 2, not "${text}"`)
  return Number(text)
}

export function choice<const T extends string>(...choices: readonly T[]): Reader<T> {
  return (name, text) => {
    const found = choices.find((one) => one === text)
    if (found === undefined) throw new Error(`${name} must be one of ${choices.join(', ')}, not "${text}"`)
    return found
  }
}

/** Parses each entry of a comma-separated list. */
export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (name, text) => Object.freeze(entriesOf(text).map((entry) => read(name, entry)))
}

function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Parses an optional setting. Returns undefined if it is empty. */
export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (name, text) => (text === '' ? undefined : read(name, text))
}

/** Parses a setting that can be turned off. Returns undefined for `off`. */
export function unlessOff<T>(read: Reader<T>): Reader<T | undefined> {
  return (name, text) => (text === 'off' ? undefined : read(name, text))
}

/** An IP address or host name that this machine could listen on. */
export const hostToListenOn: Reader<string> = (name, text) => {
  if (isIP(text) === 0 && !isHostName(text))
    throw new Error(
      `${name} must be an IP address or a host name such as 127.0.0.1, 0.0.0.0 or ::, without a scheme, brackets or a port, not "${text}"`,
    )
  return text
}

/** A URL without a path, because pages and loaders have fixed paths on the host. */
export const origin: Reader<string> = (name, text) => {
  const url = httpUrl(name, text)
  if (url.pathname !== '/' || /[?#]/.test(text))
    throw new Error(
      `${name} must not have a path, but is "${text}": set it to ${url.origin}, and run Scriptward on a dedicated host name`,
    )
  return withoutSlashes(text)
}

/** Strips trailing slashes, so that a path can be appended. */
export const webAddress: Reader<string> = (name, text) => {
  httpUrl(name, text)
  if (/[?#]/.test(text)) throw new Error(`${name} must not have a query or a fragment, but is "${text}"`)
  return withoutSlashes(text)
}

export const collectorAddress: Reader<string> = (name, text) => {
  const { username = '', password = '' } = URL.parse(text) ?? {}
  if (username + password !== '')
    throw new Error(
      `${name} must not contain a user or a password: send them as a header with SCRIPTWARD_OTLP_HEADERS`,
    )
  return webAddress(name, text)
}

/** Uses the format of OpenTelemetry's variables. Errors don't quote values, because they may be secrets. */
export const headerList: Reader<Readonly<Record<string, string>>> = (name, text) =>
  Object.freeze(Object.fromEntries(entriesOf(text).map((entry) => headerOf(name, entry))))

function headerOf(name: string, entry: string): readonly [string, string] {
  const [, header = '', value = ''] = /^([\w-]+)=(.+)$/.exec(entry) ?? []
  const decoded = headerValue(value)
  if (decoded === undefined)
    throw new Error(
      `${name} must be a comma-separated list of headers with percent-encoded values, such as authorization=Bearer%20token`,
    )
  return [header.toLowerCase(), decoded]
}

/** Returns undefined for values that are invalid in a header. */
function headerValue(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value)
    return /^[\x20-\x7e]+$/.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

/** A URL that may have a query string. Parameters are added to it. */
export const webPage: Reader<string> = (name, text) => {
  httpUrl(name, text)
  return withoutSlashes(text)
}

function httpUrl(name: string, text: string): URL {
  const url = /\s/.test(text) ? null : URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text))
    throw new Error(
      `${name} must be an http or https URL such as https://ward.example.org, not "${text}"${hintFor(text)}`,
    )
  if (url.username !== '' || url.password !== '')
    throw new Error(
      `${name} must not contain a user or a password: they would be visible to everyone who loads a script`,
    )
  return url
}

/** The most common mistake is a host without a scheme. */
function hintFor(text: string): string {
  if (/^(['"]).*\1$/.test(text)) return ': leave out the quotes'
  return /^[\w.-]+(:\d+)?(\/|$)/.test(text) ? `: write https://${text}, or http://${text} without TLS` : ''
}

function withoutSlashes(text: string): string {
  return text.replace(/\/+$/, '')
}

/** Errors don't quote the URL, because it may contain a password. */
export const databaseAddress: Reader<string> = (name, text) => {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== 'postgres' && scheme !== 'postgresql')
    throw new Error(
      `${name} must be a postgres:// URL${scheme === undefined ? '' : `, not ${scheme}://`}: use postgres://user:password@host/database, or leave it empty for SQLite`,
    )
  // A URL without a host refers to a socket, whose directory is in the query string.
  const url = URL.parse(text.replace('@/', '@socket/'))
  // Anything after a # would be lost, and part of the password would become the host.
  if (url === null || url.hash !== '')
    throw new Error(
      `${name} is not a valid URL: percent-encode special characters in the password, such as %23 for #`,
    )
  return text
}

/** Errors don't quote the URL, because it may contain a password. */
export const valkeyAddress: Reader<string> = (name, text) => {
  const url = URL.parse(text)
  if (!/^rediss?:\/\//i.test(text) || url === null || url.hostname === '')
    throw new Error(
      `${name} must be a redis:// or rediss:// URL such as redis://127.0.0.1:6379, with special characters in the password percent-encoded`,
    )
  return text
}

/** Errors don't quote the URL, because it contains a password. */
export const mailAddress: Reader<string> = (name, text) => {
  const url = URL.parse(text)
  if (!/^smtps?:\/\//i.test(text) || url === null || url.hostname === '')
    throw new Error(
      `${name} must be an smtp:// or smtps:// URL such as smtps://user:password@mail.example.org, with special characters in the password percent-encoded`,
    )
  return text
}

export const sender: Reader<string> = (name, text) => {
  if (!/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/.test(text))
    throw new Error(`${name} must be an email address such as Scriptward <keys@example.com>, not "${text}"`)
  return text
}

/**
 * A secret must be long enough to resist guessing, and must not contain whitespace or characters that need
 * escaping in headers or paths.
 */
export const secret: Reader<string> = (name, text) => {
  if (!/^[\x21-\x7e]{16,256}$/.test(text))
    throw new Error(`${name} must be 16 to 256 printable ASCII characters without spaces`)
  return text
}

/** Passphrases must be long, because someone who steals a backup can make unlimited guesses. */
export const passphraseText: Reader<string> = (name, text) => {
  if (text.length < 12 || text.length > 1024)
    throw new Error(`${name} must have at least 12 characters: use several random words`)
  return text
}

/** Errors don't quote the value, because it may be a private key. */
export const agePublicKey: Reader<string> = (name, text) => {
  if (/^age-secret-key-/i.test(text))
    throw new Error(
      `${name} is a private key: set it to the public key (age1…), and keep the private key on another machine`,
    )
  if (/^age1/i.test(text) && !isAgePublicKey(text))
    throw new Error(`${name} is mistyped or truncated: copy the full public key again`)
  if (!isAgePublicKey(text))
    throw new Error(`${name} must be an age public key (age1…): \`scriptward backup-keys\` creates one`)
  return text
}

/**
 * A network in CIDR notation. A bare IP address is rejected, because the size of its network would be a
 * guess.
 */
export const network: Reader<string> = (name, text) => {
  if (!isNetwork(text))
    throw new Error(
      `${name} must be a comma-separated list of networks such as 10.1.0.0/16 or fd00::/8, not "${text}"`,
    )
  return text
}

/** An IP address, a network, or a name defined by the proxy library. */
export const proxy: Reader<string> = (name, text) => {
  const isName = ['loopback', 'linklocal', 'uniquelocal'].includes(text)
  if (!isName && isIP(text) === 0 && !isNetwork(text))
    throw new Error(
      `${name} must be a comma-separated list of your proxies' IP addresses or networks, such as 127.0.0.1 or 10.1.0.0/16, or of loopback, linklocal and uniquelocal, not "${text}"`,
    )
  return text
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

/** Host of a URL, with the port unless it is the default. */
export const webHost: Reader<string> = (name, text) => {
  const [, host = '', port = '1'] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (!isHostName(host) && isIP(host.replace(/^\[|\]$/g, '')) === 0)
    throw new Error(
      `${name} must be a comma-separated list of hosts such as example.com, without a scheme or path, not "${text}"`,
    )
  if (Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`${name} contains an invalid port: "${text}"`)
  return text.toLowerCase()
}

/** A host, or all subdomains of a host. */
export const hostPattern: Reader<string> = (name, text) =>
  text.startsWith('*.') ? `*.${webHost(name, text.slice(2))}` : webHost(name, text)

function isHostName(text: string): boolean {
  return (
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(text) &&
    text.length < 254
  )
}
