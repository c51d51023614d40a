/**
 * Guarantees for every declared page: its headers, no server errors from hostile requests, and readable error
 * pages. Pages added to the list are covered automatically.
 */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { runningRequests } from '../../../test/running-requests.ts'
import { listPages } from '../../page-list.ts'

const pages = listPages()
const titled = pages.map((page) => [`${page.method} ${page.path}`, page] as const)
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const HOSTILE = [
  'x',
  '%00',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '%ED%A0%80',
  '../../etc',
]

describe.each(anyEngine)('every page on $name', (engine) => {
  const { at } = serverOn(engine)
  const addressOf = (path: string, value = 'x') => at().url + path.replace(/:\w+/g, encodeURIComponent(value))

  it.each(titled)('allows no foreign content and no framing, and is not cached: %s', async (_, page) => {
    const { headers } = await fetch(addressOf(page.path), { method: page.method })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each(titled)('withstands any input: %s', async (_, page) => {
    for (const value of HOSTILE) {
      const query = `?lang=${value}&a=${value}&a=${value}&__proto__=${value}`
      const body = `key=${value}&do=${value}&csrf=${value}&__proto__=${value}&reason=${value}`
      const headers = {
        cookie: `a=${value.replaceAll(/[^!-~]/g, '')}; __proto__=1`,
        'accept-language': '*;q=x',
      }
      const sent =
        page.method === 'GET' ? { headers } : { method: 'POST', headers: { ...headers, ...FORM }, body }
      const answer = await fetch(addressOf(page.path, value) + query, { ...sent, redirect: 'manual' })
      const text = await answer.text()
      expect(answer.status).toBeLessThan(500)
      expect(text).not.toContain('<script>alert')
      expect(text).not.toContain('<img')
    }
  })

  it.each(titled.filter(([, { method }]) => method === 'POST'))('accepts only forms: %s', async (_, page) => {
    const send = (headers: Record<string, string>, body: string) =>
      fetch(addressOf(page.path), { method: 'POST', headers, body })
    expect((await send({ 'content-type': 'application/json' }, '{}')).status).toBe(415)
    const large = await send(FORM, `key=${'x'.repeat(20_000)}`)
    expect(large.status).toBe(413)
    expect(await large.text()).toContain('<h1>')
  })

  it("shows errors in the reader's language", async () => {
    const german = await fetch(`${at().url}/me/assets/nothing`, { headers: { 'accept-language': 'de' } })
    expect(german.status).toBe(404)
    expect(await german.text()).toContain('Seite nicht gefunden')
    const english = await fetch(`${at().url}/me/assets/nothing?lang=en`, {
      headers: { 'accept-language': 'de' },
    })
    expect(await english.text()).toContain('Page not found')
  })

  it('serves files that can be cached permanently', async () => {
    const answer = await fetch(`${at().url}/me/assets/nothing`)
    const script = /script defer src="([^"]+)"/.exec(await answer.text())?.[1] ?? ''
    const loaded = await fetch(new URL(script, answer.url))
    expect(loaded.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(loaded.headers.get('cache-control')).toContain('immutable')
    expect(Buffer.byteLength(await loaded.text())).toBeLessThanOrEqual(15 * 1024)
  })

  it('no longer counts as running after it was answered', async () => {
    expect(await runningRequests(at().url)).toBe(0)
  })
})
