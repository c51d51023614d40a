/**
 * The pages that browsers get at the bare host name, an unknown URL and a loader's URL, and the responses
 * that programs get there.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createProject, createScript } from '../../../test/nouns.ts'
import { endpoints } from '../../endpoints.ts'

const PAGE = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const NAVIGATIONS: readonly Record<string, string>[] = [
  { ...PAGE, 'sec-fetch-dest': 'document' },
  // Over plain HTTP, this is the only navigation header that browsers send to hosts other than localhost.
  { ...PAGE, 'upgrade-insecure-requests': '1' },
]
const EXECUTORS: readonly Record<string, string>[] = [
  {},
  { accept: '*/*' },
  PAGE,
  { 'upgrade-insecure-requests': '1' },
]
const OPEN_READS = endpoints.filter(
  ({ method, auth, changes }) => method === 'GET' && auth === 'none' && !changes,
)

describe.each(anyEngine)('a visitor on $name', (engine) => {
  const { at } = serverOn(engine)
  let script: string
  beforeAll(async () => {
    const owner = await at().createCustomer()
    script = await createScript(owner, await createProject(owner))
  })
  const open = (path: string, headers: Record<string, string> = PAGE, method = 'GET') =>
    fetch(at().url + path, { headers, method })

  it('of the root is sent to the customer page first, and authors to the sign-in page', async () => {
    const answer = await open('/')
    const links = [...(await answer.text()).matchAll(/<a class="button[^"]*" href="([^"]+)">([^<]+)</g)]
    expect(answer.status).toBe(200)
    expect(links.map(([, href, words]) => [href, words])).toEqual([
      ['me', 'Show my key'],
      ['dashboard/', 'Sign in as an author'],
    ])
    expect(await (await open('/', { 'accept-language': 'de' })).text()).toContain('Willkommen')
  })

  it.each(['/nowhere', '/dashboard/nowhere', '/guide/nowhere', '/docs/nowhere', '/%zz'])(
    'of %s gets an HTML error page, and a program gets JSON',
    async (path) => {
      const page = await open(path)
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(await page.text()).toContain('<h1>Page not found</h1>')
      const german = await open(path, { ...PAGE, 'accept-language': 'de' })
      expect(await german.text()).toContain('<h1>Seite nicht gefunden</h1>')
      const answer = await open(path, { accept: '*/*' })
      expect(await answer.json()).toMatchObject({ error: { type: 'invalid_endpoint' } })
    },
  )

  it.each(['/v1/nowhere', '/client/v1/nowhere', '/projects/nowhere/x/y'])(
    'of %s, which belongs to the API, gets JSON',
    async (path) => {
      const answer = await open(path)
      expect(await answer.json()).toMatchObject({ error: { type: 'invalid_endpoint' } })
    },
  )

  it.each(NAVIGATIONS)('who opens a loader gets a page with the lines to paste: %o', async (headers) => {
    const address = `/client/v1/loader/${script}`
    const answer = await open(address, headers)
    expect([answer.status, new URL(answer.url).pathname]).toEqual([200, `/run/${script}`])
    const text = await answer.text()
    expect(text).toContain('<h1>This link belongs in your executor</h1>')
    expect(text).toContain(`loadstring(game:HttpGet(&quot;${at().url}${address}&quot;))()`)
    const none = await open('/client/v1/loader/scr_none', headers)
    expect([none.status, await none.text()]).toEqual([404, expect.stringContaining('Page not found')])
  })

  it.each(EXECUTORS)('that is an executor gets the loader itself: %o', async (headers) => {
    const answer = await open(`/client/v1/loader/${script}`, headers)
    expect([answer.url, answer.headers.get('content-type')]).toEqual([
      `${at().url}/client/v1/loader/${script}`,
      'text/plain; charset=us-ascii',
    ])
  })

  it.each(['/', ...OPEN_READS.map(({ path }) => path.replace(':tier', '0'))])(
    'that is a monitor gets the headers of %s and no body with HEAD',
    async (path) => {
      const [get, head] = [await open(path, {}), await open(path, {}, 'HEAD')]
      expect(await head.text()).toBe('')
      expect(head.status).toBe(get.status)
      for (const name of ['content-type', 'cache-control', 'content-length'])
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    },
  )

  it('gets no HEAD response where a GET changes something or needs a credential', async () => {
    for (const path of [
      '/v1/projects',
      '/adsystems/sys_1/checkpoints/prepare',
      `/client/v1/loader/${script}`,
    ])
      expect((await open(path, {}, 'HEAD')).status).toBe(404)
  })
})
