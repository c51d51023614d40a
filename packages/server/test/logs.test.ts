/**
 * Tests that no log line, metric or trace contains an API key or a user key, no matter what fails, and that
 * no response contains an API key unless the endpoint is meant to return one.
 */
import { describe, expect, it } from 'vitest'
import { effort } from '../../client/test/effort.ts'
import { endpoints } from '../src/endpoints.ts'
import { makeSetUpLink } from '../src/features/people/sign-in/set-up.ts'
import { startCollector } from './collector.ts'
import { anyEngine } from './databases.ts'
import { callEverything } from './every-call.ts'
import { startServer, type TestServer } from './harness.ts'
import { browserAfter } from './people/browsers.ts'
import { rowsOf } from './stored.ts'
import { furnish } from './subjects.ts'

/** Every endpoint fails in the same way once the database is gone. */
const failing = endpoints.filter((_, index) => index % effort({ day: 5, night: 1 }) === 0)

const TOKEN = 'secret-of-the-collector'

describe.each(anyEngine)('log, metrics, traces and answers on $name', (engine) => {
  it('contain no key of any request, successful or failed', async () => {
    const collector = await startCollector()
    const otlp = { url: collector.url, headers: { authorization: `Bearer ${TOKEN}` } }
    const server = await startServer(engine, { config: { logLevel: 'trace', otlp } })
    try {
      const { owner, ids } = await furnish(server)
      const secrets = [owner.apiKey, ids.user_key ?? '', String(server.admin.apiKey)]
      const answers = await callEverything(server, [owner, server.admin], ids)
      const answered = server.log.length
      await server.deps.db.close()
      answers.push(...(await callEverything(server, [owner, server.admin], ids, failing)))
      expect(server.log.slice(answered).some((line) => line.includes('request failed'))).toBe(true)
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      expect(metrics).toContain('route="/customers/:api_key"')
      // Stopping the server flushes everything that hasn't been sent yet.
      await server.stop().catch(() => {})
      expect(collector.spans().length).toBeGreaterThan(1000)
      for (const secret of [...secrets, TOKEN]) {
        expect(secret).not.toBe('')
        expect(server.log.filter((line) => line.includes(secret))).toEqual([])
        expect(collector.bodies.filter((body) => body.includes(secret))).toEqual([])
        expect(metrics).not.toContain(secret)
      }
      for (const apiKey of [owner.apiKey, String(server.admin.apiKey)])
        expect(answers.filter((answer) => answer.includes(apiKey))).toEqual([])
      expect(server.log.some((line) => line.includes('/customers/:api_key'))).toBe(true)
      expect(server.log.some((line) => /"sql":"select .*"ms":\d/.test(line))).toBe(true)
    } finally {
      await server.stop().catch(() => {})
      await server.location.remove()
      await collector.close()
    }
  })
})

describe.each(anyEngine)('login credentials on $name', (engine) => {
  it('are in no log line and no audit entry, while successful and failed logins are in both', async () => {
    const server = await startServer(engine, { config: { logLevel: 'trace' } })
    try {
      const { owner, secrets, person } = await walkIn(server)
      const entries = await rowsOf(server, 'audit_entries')
      const written = [...server.log, ...entries.map((row) => JSON.stringify(row))]
      for (const secret of secrets) expect(written.filter((line) => line.includes(secret))).toEqual([])
      const said = server.log.filter((line) => line.includes(person))
      for (const message of ['signed in', 'signed out', 'sign-in failed'])
        expect(said.some((line) => line.includes(`"msg":"${message}"`))).toBe(true)
      const actions = entries
        .filter(({ customer_id }) => customer_id === owner.id)
        .map(({ action }) => action)
      expect(actions).toEqual(
        expect.arrayContaining(['v1.auth.setUp', 'v1.auth.password', 'v1.auth.signOut', 'v1.auth.reset']),
      )
    } finally {
      await server.close()
    }
  })
})

/** Submits every kind of login credential, valid and invalid. */
async function walkIn(server: TestServer) {
  const owner = await server.createCustomer()
  const [first, second, wrong] = ['seven green bottles', 'nine yellow submarines', 'wrong horse battery']
  const link =
    String(await makeSetUpLink(server.deps, owner.id))
      .split('/')
      .at(-1) ?? ''
  const { post } = server.client()
  const email = 'walker@example.com'
  const made = browserAfter(
    server,
    await post('/v1/auth/set-up', { link, email, name: 'Walker', password: first }),
  )
  const person = ((await made.get('/v1/me')).body.person as { id: string }).id
  await made.post('/v1/auth/sign-out')
  await post('/v1/auth/password', { email, password: wrong })
  const entered = await post('/v1/auth/password', { email, password: first })
  const browser = browserAfter(server, entered)
  const changed = await browser.post('/v1/auth/password/change', { password: second })
  await browserAfter(server, changed).post('/v1/auth/confirm', { password: wrong })
  const reset = (await server.admin.post(`/v1/admin/people/${person}/reset`, {})).string('link')
  const ended = await post('/v1/auth/reset', { link: reset.split('/').at(-1), password: first })
  const cookies = [entered, changed, ended].flatMap(({ headers }) =>
    headers.getSetCookie().map((line) => line.split(/[=;]/)[1] ?? ''),
  )
  return { owner, person, secrets: [first, second, wrong, link, reset.split('/').at(-1) ?? '', ...cookies] }
}
