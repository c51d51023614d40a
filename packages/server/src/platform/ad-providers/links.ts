/**
 * Validates checkpoint links. Visitors are sent to these URLs, so the operator defines the allowed hosts. The
 * server itself never requests these URLs.
 */

/** The operator's settings for a provider. A provider without a `url` is disabled. */
export type Operated = { readonly url: string | undefined; readonly hosts: readonly string[] }

/** Returns how to fix an invalid link, or undefined for a valid one. */
export function complainOfLink({ url, hosts }: Operated, link: string): string | undefined {
  const base = url === undefined ? undefined : new URL(url)
  const mayBePlain = base !== undefined && isLoopback(base.hostname)
  const parsed = URL.parse(link)
  // The link is stored and extended as a string, so all parsers must interpret it identically.
  if (parsed === null || !/^https?:\/\/[\x21-\x7e]+$/.test(link) || link.includes('\\'))
    return 'must be an https URL in ASCII without spaces'
  if (parsed.protocol === 'http:' && !mayBePlain) return 'must start with https://'
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a user name or password'
  if (link.includes('#')) return 'must not contain a fragment (#)'
  const allowed = hosts.length > 0 || base === undefined ? hosts : [base.hostname]
  if (allowed.length === 0 || allowed.some((host) => isUnder(host, parsed.hostname))) return undefined
  return `must be on one of the provider's hosts: ${allowed.join(', ')}`
}

function isUnder(host: string, hostname: string): boolean {
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
