/**
 * Provider settings of checkpoints: links must be on the provider's hosts, settings are validated, and
 * secrets stay secret.
 */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import {
  type AdSystem,
  createAdSystem,
  createCheckpoint,
  DRAFT,
  readCheckpoint,
  TOKEN,
} from '../../../../test/endpoints/v1/checkpoints.ts'
import { serverOn, startServer } from '../../../../test/harness.ts'
import { changeRows, rowOf } from '../../../../test/stored.ts'
import { dump, furnish } from '../../../../test/subjects.ts'
import type { Config } from '../../../config/config.ts'
import { openProviderData, sealProviderData } from '../providers.ts'

const MASKED = 'abcd…wxyz'
const providers: Config['adProviders'] = {
  provider_a: { url: 'https://api.a.example', label: 'Alpha', hosts: ['links.example.com', '*.a.example'] },
  provider_b: { url: 'http://127.0.0.1:9', label: 'Beta', hosts: [] },
  provider_c: { url: undefined, label: 'Gamma', hosts: [] },
}

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { adProviders: providers } })
  const system = () => createAdSystem(at())
  const prepare = ({ owner, path }: AdSystem) => owner.post(`${path}/prepare`)

  describe('a link', () => {
    test.each([
      ['provider_a', 'https://links.example.com/s?abc'],
      ['provider_a', 'https://deep.down.a.example/x'],
      ['provider_b', 'http://127.0.0.1:9/s?1'],
      ['provider_c', 'https://anywhere.example/x'],
    ])('of %s may be %s', async (provider, url) => {
      const made = await system()
      const id = await createCheckpoint(made, { provider, url, provider_data: SETTINGS[provider] })
      expect(await readCheckpoint(made, id)).toMatchObject({ url })
    })

    test.each([
      ['provider_a', 'http://links.example.com/'],
      ['provider_a', 'https://a.example/'],
      ['provider_a', 'https://evil.example/?links.example.com'],
      ['provider_a', 'https://links.example.com.evil.example/'],
      ['provider_a', 'https://links.example.com@evil.example/'],
      ['provider_a', 'https://evil.example\\@links.example.com/'],
      ['provider_a', 'https://user:pass@links.example.com/'],
      ['provider_a', 'https://links.example.com/#x'],
      ['provider_a', ' https://links.example.com/'],
      ['provider_a', 'https://links.example.com/a b'],
      ['provider_a', 'javascript:alert(1)'],
      ['provider_a', '//links.example.com/'],
      ['provider_b', 'http://127.0.0.2/'],
      ['provider_c', 'http://anywhere.example/'],
    ])('of %s may not be %s', async (provider, url) => {
      const made = await system()
      await prepare(made)
      const draft = { ...DRAFT, provider, url, provider_data: SETTINGS[provider] }
      const { error } = await made.owner.post(`${made.path}/new`, draft)
      expect(error).toMatchObject({ code: -1, failed: [{ field: 'url', errors: [expect.any(String)] }] })
    })
  })

  describe('the settings', () => {
    test.each([
      ['provider_a', { token: 'short' }, 'provider_data.token'],
      ['provider_a', { token: 'has a blank in the middle' }, 'provider_data.token'],
      ['provider_a', { token: MASKED }, 'provider_data.token'],
      ['provider_a', {}, 'provider_data.token'],
      ['provider_a', { token: TOKEN, param: 'a b' }, 'provider_data.param'],
      ['provider_a', { token: TOKEN, link_id: '1' }, 'provider_data.link_id'],
      ['provider_b', { api_token: TOKEN, require_postback: 'yes' }, 'provider_data.require_postback'],
      ['provider_b', { api_token: TOKEN, postback_secret: 'short' }, 'provider_data.postback_secret'],
      ['provider_b', { api_token: TOKEN, check_ip: 'maybe' }, 'provider_data.check_ip'],
      ['provider_b', { api_token: TOKEN, unsigned_postbacks: 'no' }, 'provider_data.unsigned_postbacks'],
      ['provider_b', { api_token: TOKEN }, 'provider_data.postback_secret'],
      ['provider_b', { api_token: TOKEN, unsigned_postbacks: null }, 'provider_data.postback_secret'],
      ['provider_c', { link_id: 1 }, 'provider_data.link_id'],
      ['provider_c', { link_id: '' }, 'provider_data.link_id'],
      ['provider_c', 'no json', 'provider_data'],
      ['provider_c', [], 'provider_data'],
      ['provider_c', 5, 'provider_data'],
    ])('of %s may not be %j', async (provider, provider_data, field) => {
      const made = await system()
      await prepare(made)
      const draft = { ...DRAFT, url: LINKS[provider], provider, provider_data }
      const { error } = await made.owner.post(`${made.path}/new`, draft)
      expect(error).toMatchObject({ code: 3, type: 'invalid_provider_data' })
      expect(error.failed).toEqual([{ field, errors: [expect.any(String)] }])
    })

    test("use the provider's defaults where they are null or absent", async () => {
      const made = await system()
      const provider_data = {
        ...{ api_token: TOKEN, postback_secret: null, require_postback: null },
        unsigned_postbacks: true,
      }
      const id = await createCheckpoint(made, {
        provider: 'provider_b',
        url: LINKS.provider_b,
        provider_data,
      })
      expect((await readCheckpoint(made, id)).provider_data).toEqual({
        api_token: MASKED,
        require_postback: true,
        postback_secret: null,
        unsigned_postbacks: true,
        check_ip: 'prefix',
      })
    })

    test('are never stored unencrypted, and survive a restart', async () => {
      const location = await engine.locate()
      const first = await startServer(engine, { location })
      const { owner, ids } = await furnish(first)
      const path = `/v1/adcheckpoints/${ids.checkpoint_id}`
      const provider_data = { token: TOKEN, param: 'secretparam' }
      await owner.post(`${path}/edit`, { provider: 'provider_a', provider_data })
      const stored = await dump(first.deps.db.read)
      const rows = await first.deps.db.read.selectFrom('ad_checkpoints').select('provider_data').execute()
      const bytes = Buffer.concat(rows.map((row) => row.provider_data)).toString('latin1')
      for (const secret of [new RegExp(TOKEN), /secretparam/, /\btoken\b/])
        expect(secret.test(bytes + stored)).toBe(false)
      await first.stop()
      const second = await startServer(engine, { location })
      const answer = await second.client(owner.apiKey).get(path)
      expect(answer.body.checkpoint).toMatchObject({
        provider_data: { token: MASKED, param: 'secretparam' },
      })
      await second.close()
    })
  })

  describe('POST /v1/adcheckpoints/:checkpoint_id/edit', () => {
    const edit = ({ owner }: AdSystem, id: string, members: object) =>
      owner.post(`/v1/adcheckpoints/${id}/edit`, members)

    test('changes the given fields and leaves the rest', async () => {
      const made = await system()
      const id = await createCheckpoint(made)
      const before = await readCheckpoint(made, id)
      expect((await edit(made, id, { name: ' New ', url: null })).body).toEqual({ success: true })
      expect(await readCheckpoint(made, id)).toEqual({ ...before, name: 'New' })
    })

    test('keeps a secret that is sent back masked, and stores a new one', async () => {
      const made = await system()
      const provider_data = { api_token: TOKEN, postback_secret: `${TOKEN}-second`, check_ip: 'exact' }
      const id = await createCheckpoint(made, {
        provider: 'provider_b',
        url: LINKS.provider_b,
        provider_data,
      })
      const shown = (await readCheckpoint(made, id)).provider_data as object
      expect(await edit(made, id, { provider_data: { ...shown, check_ip: 'off' } })).toMatchObject({
        status: 200,
      })
      expect(await kept(id)).toEqual({
        ...provider_data,
        ...{ require_postback: true, unsigned_postbacks: false, check_ip: 'off' },
      })
      const fresh = {
        ...shown,
        ...{ api_token: 'ZYXW-and-more-of-it', postback_secret: null, unsigned_postbacks: true },
      }
      await edit(made, id, { provider_data: fresh })
      expect(await kept(id)).toMatchObject({ api_token: 'ZYXW-and-more-of-it', postback_secret: null })
    })

    test('rejects settings that allow unsigned postbacks, and names the two remedies', async () => {
      const made = await system()
      const id = await createCheckpoint(made, {
        ...{ provider: 'provider_b', url: LINKS.provider_b },
        provider_data: { api_token: TOKEN, postback_secret: `${TOKEN}-second` },
      })
      const before = await readCheckpoint(made, id)
      const unsigned = { api_token: TOKEN, postback_secret: null }
      const { error } = await edit(made, id, { provider_data: unsigned })
      expect(error).toMatchObject({ code: 2, type: 'invalid_provider_data' })
      expect(error.failed).toEqual([
        {
          field: 'provider_data.postback_secret',
          errors: [expect.stringMatching(/Set the secret .* or set unsigned_postbacks to true/)],
        },
      ])
      expect(await readCheckpoint(made, id)).toEqual(before)
      for (const remedy of [{ unsigned_postbacks: true }, { require_postback: false }])
        expect((await edit(made, id, { provider_data: { ...unsigned, ...remedy } })).status).toBe(200)
    })

    test('leaves stored settings alone even if they would be rejected today', async () => {
      const made = await system()
      const id = await createCheckpoint(made, {
        ...{ provider: 'provider_b', url: LINKS.provider_b },
        provider_data: SETTINGS.provider_b,
      })
      const old = { api_token: TOKEN, require_postback: true, postback_secret: null, check_ip: 'prefix' }
      const provider_data = sealProviderData(at().deps, id, old)
      await changeRows(at(), 'ad_checkpoints', { id }, { provider_data })
      expect((await edit(made, id, { name: 'Renamed', url: 'http://127.0.0.1/y' })).status).toBe(200)
      expect(await kept(id)).toEqual(old)
      const shown = (await readCheckpoint(made, id)).provider_data as object
      const { error } = await edit(made, id, { provider_data: { ...shown, check_ip: 'off' } })
      expect(error.failed).toMatchObject([{ field: 'provider_data.postback_secret' }])
    })

    test('requires the settings of a new provider, and gives only that change a new postback URL', async () => {
      const made = await system()
      const id = await createCheckpoint(made)
      const before = await readCheckpoint(made, id)
      expect((await edit(made, id, { provider: 'provider_c' })).error).toMatchObject({ code: 2 })
      await edit(made, id, { provider: 'provider_a', name: 'Same' })
      expect((await readCheckpoint(made, id)).postback_id).toBe(before.postback_id)
      await edit(made, id, { provider: 'provider_c', provider_data: { link_id: 'l' } })
      const after = await readCheckpoint(made, id)
      expect(after).toMatchObject({ provider: 'provider_c', callback_id: before.callback_id })
      expect(after.postback_id).not.toBe(before.postback_id)
    })

    test('reports the errors of the link and of the settings together', async () => {
      const made = await system()
      await made.owner.post(`${made.path}/prepare`)
      const wrong = { url: 'https://evil.example/', provider_data: { token: 'short' } }
      const { error } = await made.owner.post(`${made.path}/new`, { ...DRAFT, ...wrong })
      expect(error).toMatchObject({ code: 3, failed: [{ field: 'url' }, { field: 'provider_data.token' }] })
    })

    test('restricts the link to the hosts of the new provider', async () => {
      const made = await system()
      const id = await createCheckpoint(made, { provider: 'provider_c', provider_data: SETTINGS.provider_c })
      await edit(made, id, { url: 'https://anywhere.example/' })
      const { error } = await edit(made, id, { provider: 'provider_a', provider_data: { token: TOKEN } })
      expect(error.failed).toMatchObject([{ field: 'url' }])
      const both = { provider: 'provider_a', provider_data: { token: TOKEN }, url: DRAFT.url }
      expect((await edit(made, id, both)).status).toBe(200)
    })

    async function kept(id: string): Promise<unknown> {
      const row = await rowOf(at(), 'ad_checkpoints', { id })
      return openProviderData(at().deps, row)
    }
  })

  test('GET /v1/adproviders lists a form for every provider under the name that the operator gave it', async () => {
    const owner = await at().createCustomer()
    const { body } = await owner.get('/v1/adproviders')
    type Setting = { id: string; name: string; info: string; secret: boolean }
    const forms = body.providers as Record<string, Setting[]>
    expect(Object.entries(forms).map(([id, form]) => [id, form.map((one) => one.id)])).toEqual([
      ['provider_a', ['about', 'token', 'param']],
      [
        'provider_b',
        ['about', 'api_token', 'require_postback', 'postback_secret', 'unsigned_postbacks', 'check_ip'],
      ],
      ['provider_c', ['about', 'link_id', 'override', 'delete_token', 'check_ip']],
    ])
    const secrets = Object.values(forms).map((form) =>
      form.filter(({ secret }) => secret).map(({ id }) => id),
    )
    expect(secrets).toEqual([['token'], ['api_token', 'postback_secret'], []])
    expect(Object.values(forms).map((form) => form[0]?.name)).toEqual(['Alpha', 'Beta', 'Gamma'])
    const isOff = Object.values(forms).map((form) => form[0]?.info.includes('disabled on this server'))
    expect(isOff).toEqual([false, false, true])
  })
})

const SETTINGS: Readonly<Record<string, object>> = {
  provider_a: { token: TOKEN },
  provider_b: { api_token: TOKEN, unsigned_postbacks: true },
  provider_c: { link_id: 'l' },
}
const LINKS: Readonly<Record<string, string>> = {
  provider_a: DRAFT.url,
  provider_b: 'http://127.0.0.1/x',
  provider_c: 'https://c.example/x',
}
