/** The guide's search finds the right page for the words that authors and operators actually type. */
import path from 'node:path'
import MiniSearch from 'minisearch'
import { describe, expect, it } from 'vitest'
import { readGuide, searchData } from './guide.ts'

type Found = { readonly results: readonly { readonly name: string }[]; readonly isExact: boolean }
type SearchModule = {
  makeSearch(library: typeof MiniSearch, data: object): (query: string) => Found
}

const ROOT = path.join(import.meta.dirname, '../../../../..')
const FILE = new URL('../../../pages/guide/search.js', import.meta.url)
const { makeSearch }: SearchModule = await import(FILE.href)
const search = makeSearch(MiniSearch, searchData(readGuide(path.join(ROOT, 'docs'))))
const pagesOf = ({ results }: Found) => results.map(({ name }) => name)

const QUERIES: readonly (readonly [query: string, page: string])[] = [
  ['linkvertise', 'ad-networks'],
  ['lootlabs', 'ad-networks'],
  ['work.ink', 'ad-networks'],
  ['key system', 'ad-system'],
  ['forgot password', 'lost-access'],
  ['lost api key', 'lost-access'],
  ['locked out of the dashboard', 'lost-access'],
  ['2fa', 'second-factors'],
  ['refund', 'selling-keys'],
  ['sell keys', 'selling-keys'],
  ['sell keys on sellix', 'shops'],
  ['shopify', 'shops'],
  ['free trial', 'plans'],
  ['key expiry', 'plans'],
  ['subscription', 'plans'],
  ['reset hwid', 'discord'],
  ['hwid reset', 'discord'],
  ['discord', 'discord'],
  ['discord bot', 'chat-bot'],
  ['whitelist', 'chat-bot'],
  ['blacklist', 'bans'],
  ['ban hwid', 'bans'],
  ['key sharing', 'bans'],
  ['delete user', 'undo'],
  ['kill switch', 'faq'],
  ['update script', 'first-script'],
  ['rollback', 'command-line'],
  ['rollback', 'releases'],
  ['canary', 'releases'],
  ['beta channel', 'releases'],
  ['staged rollout', 'releases'],
  ['deny executor', 'executors'],
  ['executor update', 'executors'],
  ['github actions', 'ci'],
  ['crack', 'against-dumping'],
  ['dump', 'against-dumping'],
  ['deobfuscate', 'against-dumping'],
  ['which preset', 'presets'],
  ['watermark leak', 'tracing'],
  ['server function', 'ask'],
  ['server side', 'ask'],
  ['move to server', 'ask'],
  ['move code to the server', 'ask'],
  ['remote function', 'ask'],
  ['WARD_SERVER', 'ask'],
  ['variables config', 'variables'],
  ['executor not supported', 'faq'],
  ['roblox', 'loader'],
  ['http 403', 'troubleshooting'],
  ['http 429', 'troubleshooting'],
  ['rate limit', 'requests'],
  ['fingerprint_mismatch', 'troubleshooting'],
  ['license', 'license'],
  ['license of the output', 'license'],
  ['luarmor', 'compare'],
  ['import from luarmor', 'moving-in'],
  ['luraph', 'compare'],
  ['webhook signature', 'webhooks'],
  ['windows', 'windows'],
  ['docker', 'server'],
  ['install on vps', 'server'],
  ['caddy tls', 'server'],
  ['reverse proxy', 'self-hosting'],
  ['postgres', 'self-hosting'],
  ['backup', 'backup'],
  ['restore', 'backup'],
  ['reseller', 'teams'],
]

describe('the search of the guide', () => {
  it.each(QUERIES)('lists for "%s" the page "%s" among its first three results', (query, page) => {
    const found = search(query)
    expect(pagesOf(found).slice(0, 3)).toContain(page)
    expect(found.isExact).toBe(true)
  })

  it('tolerates a typing error and matches the beginning of a word', () => {
    expect(pagesOf(search('linkvertse')).slice(0, 3)).toContain('ad-networks')
    expect(pagesOf(search('obfusc')).slice(0, 3)).toContain('obfuscator')
  })

  it('shows no page more than twice, so that one long page hides no other', () => {
    const names = pagesOf(search('key'))
    expect(names.length).toBeGreaterThan(6)
    for (const name of names) expect(names.filter((other) => other === name).length).toBeLessThan(3)
  })

  it.each(['constructor', 'toString', '__proto__'])('searches for "%s", which every object has', (query) => {
    expect(pagesOf(search(query)).length).toBeGreaterThan(0)
  })

  it('suggests the closest pages when no section has all the words, and the general ones when none matches', () => {
    const near = search('backup flibbertigibbet')
    expect(near.isExact).toBe(false)
    expect(pagesOf(near)).toContain('backup')
    const far = search('qqqqqqq')
    expect(far.isExact).toBe(false)
    expect(pagesOf(far)).toEqual(['index', 'faq', 'troubleshooting'])
  })
})
