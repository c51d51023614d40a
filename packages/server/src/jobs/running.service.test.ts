/** Jobs start with the server, use its settings, and stop with it. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../test/databases.ts'
import { startServer } from '../../test/harness.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { createOwner } from '../../test/nouns.ts'
import { until } from '../../test/patience.ts'

describe.each(engines)('a running server on $name', (engine) => {
  it('automatically deletes expired users and mails new API keys', async () => {
    const mails = await startMailServer()
    const idle = await startServer(engine)
    const { owner, project } = await createOwner(idle)
    await owner.post(`/projects/${project}/edit`, { delete_expired_users: true })
    const made = await owner.post(`/projects/${project}/users/new`, { key_expires: 1 })
    const other = await idle.createCustomer({ email: 'other@example.com' })
    await other.post(`/customers/${other.apiKey}/reset`)
    const key = made.string('user_key')
    expect((await owner.get(`/users/${key}`)).status).toBe(200)
    await idle.stop()

    const config = { jobs: true, mail: { url: mails.url, from: 'keys@example.com' } }
    const server = await startServer(engine, { location: idle.location, config })
    try {
      const { apiKey } = owner
      await until(async () => (await server.client(apiKey).get(`/users/${key}`)).status === 404)
      await until(() => mails.received.length > 0)
      expect(mails.received.map(({ to }) => to)).toEqual(['other@example.com'])
    } finally {
      await server.close()
      await mails.close()
    }
  })

  it('keeps running when a job fails and logs the failing job', async () => {
    const server = await startServer(engine, {
      config: { jobs: true, mail: { url: 'smtp://127.0.0.1:1', from: 'keys@example.com' } },
    })
    try {
      const owner = await server.createCustomer()
      await owner.post(`/customers/${owner.apiKey}/reset`)
      await until(() => server.log.some((line) => line.includes('a job failed')))
      expect(server.log.find((line) => line.includes('a job failed'))).toContain('mail-api-keys')
      expect((await server.client().get('/healthz')).status).toBe(200)
    } finally {
      await server.close()
    }
  })
})
