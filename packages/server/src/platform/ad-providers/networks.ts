/**
 * The ad network behind each provider, unless the operator enters another URL. Based on these public pages,
 * and on links in public repositories, as of November 2026:
 *
 * - Linkvertise: `blog.work.ink/migrating-from-the-linkvertise-anti-bypass-system-to-the-work-ink-key-system`
 * - LootLabs: `help.lootlabs.gg/en/category/api-documentation-1vutrk2`
 * - Work.ink: `blog.work.ink/using-the-key-system-to-make-money-with-your-software` and
 *   `blog.work.ink/how-to-override-link-destinations-on-the-fly`
 */
import type { ProviderId } from './provider.ts'

export type AdNetwork = {
  readonly name: string
  /** URL of the network's API. */
  readonly url: string
  /** Hosts of the network's links. */
  readonly hosts: readonly string[]
}

export const adNetworks: Readonly<Record<ProviderId, AdNetwork>> = {
  provider_a: {
    name: 'Linkvertise',
    url: 'https://publisher.linkvertise.com',
    hosts: [
      ...['linkvertise.com', 'link-to.net', 'direct-link.net'],
      ...['link-hub.net', 'link-center.net', 'link-target.net'],
    ],
  },
  provider_b: {
    name: 'LootLabs',
    url: 'https://creators.lootlabs.gg',
    hosts: [
      ...['loot-link.com', 'loot-links.com', 'lootlink.org', 'lootlinks.co'],
      ...['lootdest.com', 'lootdest.org', 'lootdest.info', 'links-loot.com', 'linksloot.net'],
    ],
  },
  provider_c: { name: 'Work.ink', url: 'https://work.ink', hosts: ['work.ink', 'workink.net'] },
}
