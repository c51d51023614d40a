/**
 * Resolves a webhook's host once per message and pins the result. A host with any blocked IP address is
 * rejected, because a mix of public and private addresses can only be deliberate.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { type AddressRules, isBlocked } from './address.ts'

export type ResolvedAddress = { readonly address: string; readonly family: number }
/** Rejects if the name can't be resolved or has no IP address. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/** The error for a host that must not be reached. Its message is for the webhook's owner. */
export class BlockedHost extends Error {}

/**
 * The system's resolver shares four threads with the entire process, and a few unresponsive name servers
 * would block them.
 */
export function dnsResolver(rules: Pick<AddressRules, 'webhookAllowCidr'>): Resolve {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 })
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }))
    // Names in a local network are often found only in the hosts file. Operators with such hosts have allowed
    // their networks.
    if (rules.webhookAllowCidr.length > 0) return dns.lookup(host, { all: true })
    throw new Error(`the name ${host} has no address`)
  }
}

/** Returns the IP addresses of a host if all of them are allowed. Throws {@link BlockedHost} otherwise. */
export async function resolveHost(
  host: string,
  rules: AddressRules,
  resolve: Resolve,
): Promise<readonly ResolvedAddress[]> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }]
  if (addresses.length === 0) throw new Error(`the name ${host} has no address`)
  if (addresses.some(({ address }) => isIP(address) === 0 || isBlocked(address, rules)))
    throw new BlockedHost('the host is this machine or on a private network')
  return addresses
}
