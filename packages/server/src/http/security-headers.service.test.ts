/** The security headers of every response, including errors, and how cookies are bound to their host. */
import { describe, expect, it } from 'vitest'
import { sqlite } from '../../test/databases.ts'
import { serverOn } from '../../test/harness.ts'
import { createProject, createScript } from '../../test/nouns.ts'
import { Surfer } from '../../test/pages/surfer.ts'
import { makeScene } from '../../test/protocol/scene.ts'
import { answerToBytes } from '../../test/raw-http.ts'

const HTTPS = { config: { baseUrl: 'https://ward.example' } }

describe.each([
  ['without a base URL', {}, null],
  ['with a base URL with TLS', HTTPS, 'max-age=31536000'],
])('every response of a server %s', (_, overrides, transport) => {
  const { at } = serverOn(sqlite, overrides)

  it('forbids type sniffing, and with TLS tells browsers to always use it', async () => {
    const owner = await at().createCustomer()
    const script = await createScript(owner, await createProject(owner))
    const paths = [
      '/',
      '/none',
      '/%zz',
      '/v1/projects',
      '/data/tiers',
      '/openapi.json',
      '/healthz',
      '/metrics',
    ]
    const more = [
      '/dashboard/',
      '/playground/',
      '/docs/start.js',
      '/me',
      '/me/assets/none',
      '/client/v1/keys',
    ]
    for (const path of [...paths, ...more, `/client/v1/loader/${script}`]) {
      const { headers } = await fetch(at().url + path, { redirect: 'manual' })
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
      expect([path, headers.get('strict-transport-security')]).toEqual([path, transport])
    }
  })

  it('isolates its pages from windows of other sites that open them', async () => {
    for (const path of ['/dashboard/', '/playground/', '/docs/', '/guide/start', '/me']) {
      const { status, headers } = await fetch(at().url + path)
      expect([path, status, headers.get('cross-origin-opener-policy')]).toEqual([path, 200, 'same-origin'])
    }
  })

  it('has the security headers for malformed HTTP too', async () => {
    const answer = await answerToBytes(at().url, 'NONSENSE\r\n\r\n')
    expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n')
    expect(answer.includes('\r\nstrict-transport-security: ')).toBe(transport !== null)
  })
})

describe('cookies of a server with TLS at the root of its host', () => {
  const { at } = serverOn(sqlite, HTTPS)

  it('can be set by this host only, and others are ignored', async () => {
    const scene = await makeScene(at())
    const surfer = new Surfer()
    await surfer.open(`${at().url}/me?lang=de`)
    await surfer.submit('name="key"', { key: await scene.addUser() })
    expect([...surfer.cookies.keys()].sort()).toEqual(['__Host-sw_form', '__Host-sw_lang', '__Host-sw_visit'])
    for (const line of surfer.setCookies) expect(line).toMatch(/^__Host-\w+=[^;]*; Path=\/; .*; Secure(;|$)/)
    const shown = await surfer.open(`${at().url}/me`)
    expect(shown.text).not.toContain('name="key"')
    const planted = new Surfer()
    for (const [name, value] of surfer.cookies) planted.cookies.set(name.replace('__Host-', ''), value)
    expect((await planted.open(`${at().url}/me`)).text).toContain('name="key"')
  })
})
