/**
 * The addresses of a webhook's host, resolved once for each message and pinned. A name of which any address is blocked
 * is refused as a whole: a mix of public and private addresses is no accident.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { type AddressRules, isBlocked } from './address.ts'

export type ResolvedAddress = { readonly address: string; readonly family: number }
/** Rejects when the name has no address or cannot be resolved. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/** A host that must not be reached; the message is for the owner of the webhook. */
export class BlockedHost extends Error {}

/** The system's resolver shares four threads with the whole process, which a few silent name servers would block. */
export function dnsResolver(rules: Pick<AddressRules, 'webhookAllowCidr'>): Resolve {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 })
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }))
    // Names of a local network are often in the hosts file only; an operator with such hosts has allowed their network.
    if (rules.webhookAllowCidr.length > 0) return dns.lookup(host, { all: true })
    throw new Error(`the name ${host} has no address`)
  }
}

/** The addresses of a host, all of them allowed; throws {@link BlockedHost} otherwise. */
export async function resolveHost(
  host: string,
  rules: AddressRules,
  resolve: Resolve,
): Promise<readonly ResolvedAddress[]> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }]
  if (addresses.length === 0) throw new Error(`the name ${host} has no address`)
  if (addresses.some(({ address }) => isIP(address) === 0 || isBlocked(address, rules)))
    throw new BlockedHost('the host is this machine or in a private network')
  return addresses
}
