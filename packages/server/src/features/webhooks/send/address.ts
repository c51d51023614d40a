/**
 * Determines which hosts a webhook may reach. The same rules apply when a URL is saved and when it is used,
 * because a name can resolve differently later. `resolve.ts` resolves names.
 */
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Exceptions that the operator allows. */
export type AddressRules = {
  /** Networks, in CIDR notation, that may be reached although they are blocked by default. */
  readonly webhookAllowCidr: readonly string[]
  readonly webhookAllowHttp: boolean
  readonly webhookChatHosts: readonly string[]
}

const LONGEST = 2048
const CONTROLS = /\p{Cc}/u
const FIRST_FREE_PORT = 1024
const WELL_KNOWN_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

/**
 * All ranges without public hosts: this network, private and shared ranges, loopback, link-local (where
 * clouds serve credentials), documentation, benchmarking, multicast and reserved ranges, and IPv6 forms that
 * embed an IPv4 address. In IPv6, only 2000::/3 has public hosts.
 */
const BLOCKED = [
  ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ['203.0.113.0/24', '224.0.0.0/3', '::/96', '64:ff9b::/96', '64:ff9b:1::/48', '::ffff:0:0:0/96'],
  ['100::/8', '200::/7', '400::/6', '800::/5', '1000::/4', '4000::/2', '8000::/1'],
  ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
].flat()

const blocked = blockList(BLOCKED)
/** Cached for each list of networks, because sending a message takes about five checks. */
const allowed = new WeakMap<readonly string[], BlockList>()

/** Returns the parsed URL, or a description of the error, phrased to follow the field name. */
export function readAddress(text: string, rules: AddressRules): URL | string {
  const url = URL.parse(text)
  if (url === null || text.length > LONGEST)
    return `must be a URL such as https://example.com/hook, at most ${LONGEST} characters`
  // The parser drops line feeds and tabs, but the saved URL must be exactly the one that is called.
  if (CONTROLS.test(text)) return 'must not contain control characters'
  if (url.protocol !== 'https:' && !(rules.webhookAllowHttp && url.protocol === 'http:'))
    return 'must start with https://'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '' || text.includes('#')) return 'must not contain a fragment (#)'
  if (!isPortAllowed(url)) return 'must use the default port of its scheme or a port of 1024 or above'
  if (isChatHost(url, rules) && CHAT_FOLDER.test(url.pathname) && !isChatAddress(url, rules))
    return 'must end with the token, as in https://discord.com/api/webhooks/123/token, without a suffix such as /slack or /github'
  const host = hostOf(url)
  if (isIP(host) !== 0 ? isBlocked(host, rules) : isOwnName(host, rules))
    return 'must point to a public host, not to this machine or a private network'
  return url
}

/** Returns the host without the brackets that a URL puts around an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Returns whether the IP address is not public, regardless of which networks the operator allows. */
export function isPrivate(address: string): boolean {
  return blocked.check(address, familyOf(address))
}

export function isBlocked(address: string, rules: Pick<AddressRules, 'webhookAllowCidr'>): boolean {
  return isPrivate(address) && !allowedBy(rules).check(address, familyOf(address))
}

/** Returns whether messages to this URL use the Discord form. */
export function isChatAddress(url: URL, rules: Pick<AddressRules, 'webhookChatHosts'>): boolean {
  return isChatHost(url, rules) && /^\/api(\/v\d+)?\/webhooks\/\d+\/[\w-]+$/.test(url.pathname)
}

/**
 * Matches URLs that must be webhooks, because Discord rejects or drops messages to any other URL below this
 * path.
 */
const CHAT_FOLDER = /^\/api(\/v\d+)?\/webhooks(\/|$)/

function isChatHost(url: URL, { webhookChatHosts }: Pick<AddressRules, 'webhookChatHosts'>): boolean {
  return webhookChatHosts.includes(url.host) || webhookChatHosts.includes(url.hostname)
}

function isPortAllowed({ port, protocol }: URL): boolean {
  return port === '' || Number(port) === WELL_KNOWN_PORTS[protocol] || Number(port) >= FIRST_FREE_PORT
}

/** Matches host names that always refer to this machine. */
function isOwnName(host: string, rules: AddressRules): boolean {
  return /(^|\.)localhost\.?$/.test(host) && isBlocked('127.0.0.1', rules)
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

function allowedBy({ webhookAllowCidr }: Pick<AddressRules, 'webhookAllowCidr'>): BlockList {
  const list = allowed.get(webhookAllowCidr) ?? blockList(webhookAllowCidr)
  allowed.set(webhookAllowCidr, list)
  return list
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}
