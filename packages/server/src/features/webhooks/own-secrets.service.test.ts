/**
 * Secrets of a project's three built-in endpoints: each endpoint has its own secret without any
 * configuration, and all of its messages are signed with that secret.
 */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createUser } from '../../../test/nouns.ts'
import { changeRows, rowOf } from '../../../test/stored.ts'
import { deliver, WEBHOOKS } from '../../../test/webhooks/receiver.ts'
import { scenes, type WebhookScene } from '../../../test/webhooks/scene.ts'
import { addressSecret } from './send/sign.ts'

const HOUR_MS = 3_600_000
const { webhookSecret: _, ...WITHOUT_MASTER } = WEBHOOKS

describe.each(anyEngine)("the secrets of a project's three built-in endpoints on $name", (engine) => {
  const { at } = serverOn(engine, { config: WITHOUT_MASTER })
  const scene = scenes(at)

  async function secretOf({ webhook }: WebhookScene): Promise<string> {
    return String((await webhook()).secret)
  }

  /** Returns which of the secrets signed the message about a new user. */
  async function signers({ owner, project, receiver }: WebhookScene, secrets: readonly string[]) {
    await createUser(owner, project)
    await deliver(at())
    const { text, headers } = receiver.received.at(-1) ?? expect.fail('nothing was received')
    // The library uses the machine's clock, whereas the server uses the test's clock.
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000)
    const sent = String(headers['webhook-signature']).split(' ')
    return secrets.filter((secret) =>
      sent.includes(new Webhook(secret).sign(String(headers['webhook-id']), sentAt, text)),
    )
  }

  const rotate = ({ owner, project }: WebhookScene, body = {}) =>
    owner.post(`/v1/projects/${project}/webhooks/information/rotate`, body)

  it('sign without configuration, and differ between endpoints', async () => {
    const [one, other] = [await scene(), await scene()]
    const secrets = [await secretOf(one), await secretOf(other)]
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(await signers(one, secrets)).toEqual(secrets.slice(0, 1))
    expect(await signers(other, secrets)).toEqual(secrets.slice(1))
  })

  it('stay when the URL is edited, and change when it is removed and added again', async () => {
    const made = await scene()
    const { owner, project, receiver } = made
    const before = await secretOf(made)
    const save = (information_webhook: string) =>
      owner.post(`/v1/projects/${project}/edit`, { information_webhook })
    await save(`${receiver.url}?moved`)
    expect(await secretOf(made)).toBe(before)
    await save('')
    await save(receiver.url)
    expect(await secretOf(made)).not.toBe(before)
  })

  it('are rotated with or without a grace period', async () => {
    const made = await scene()
    const first = await secretOf(made)
    const { secret } = (await rotate(made, { overlap_ms: HOUR_MS })).body.webhook as { secret: string }
    expect(await secretOf(made)).toBe(secret)
    expect(await signers(made, [first, secret])).toEqual([first, secret])
    at().clock.now += HOUR_MS
    expect(await signers(made, [first, secret])).toEqual([secret])
    await rotate(made)
    expect(await signers(made, [first, secret, await secretOf(made)])).toEqual([await secretOf(made)])
  })

  it('exist for endpoints created before each had its own, and get a grace period on rotation', async () => {
    const made = await scene()
    await changeRows(at(), 'webhooks', { project_id: made.project }, { secret: null })
    const first = await secretOf(made)
    expect(await signers(made, [first])).toEqual([first])
    await rotate(made, { overlap_ms: HOUR_MS })
    const second = await secretOf(made)
    expect(second).not.toBe(first)
    expect(await signers(made, [first, second])).toEqual([first, second])
  })

  it('cannot be read in the database', async () => {
    const made = await scene()
    const row = await rowOf(at(), 'webhooks', { project_id: made.project })
    expect(JSON.stringify(row)).not.toContain((await secretOf(made)).slice(6))
  })

  it('cannot be rotated without a URL', async () => {
    const { owner, project } = await scene()
    const path = `/v1/projects/${project}/webhooks`
    expect((await owner.post(`${path}/execution/rotate`)).error.type).toBe('no_webhook_address')
    expect((await owner.post(`${path}/whk_none/rotate`)).error).toMatchObject({
      type: 'not_found',
      message: 'Webhook whk_none does not exist',
    })
  })
})

describe.each(anyEngine)('the secrets of earlier endpoints with a master secret on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const scene = scenes(at)

  it('are still derived from it', async () => {
    const { project, webhook } = await scene()
    await changeRows(at(), 'webhooks', { project_id: project }, { secret: null })
    expect((await webhook()).secret).toBe(addressSecret(WEBHOOKS.webhookSecret, project, 'information'))
  })
})
