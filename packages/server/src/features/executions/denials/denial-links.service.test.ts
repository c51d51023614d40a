/**
 * Links in denials: to the page where a customer gets a key, to the customer page, or to the author's
 * support.
 */
import type { Denial, Hello } from '@scriptward/client/messages'
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { component, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { LANGUAGES } from '../../../pages/language.ts'
import { tellDenial } from './denial-words.ts'

const OTHER = { fp: { [STRONG]: component('second machine') } }
const HELP = 'https://shop.example.com/help'

describe.each(anyEngine)('the link in a denial on $name', (engine) => {
  const { at } = serverOn(engine, { config: { baseUrl: 'https://ward.example.com' } })
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const denied = async (hello: Partial<Hello>) =>
    (await scene.client.run(scene.scriptId, hello)).reply as Denial
  const support = (support_url: string) =>
    scene.owner.post(`/v1/projects/${scene.projectId}/edit`, { support_url })

  it('leads to the customer page after a device mismatch, where the customer can reset the device', async () => {
    const key = await scene.addUser()
    await scene.client.run(scene.scriptId, { key })
    await support(HELP)
    const url = `https://ward.example.com/me?project=${scene.projectId}`
    expect(await denied({ key, ...OTHER })).toMatchObject({
      code: 14,
      details: { can_reset: true, reset_available_at: null },
      message: expect.stringContaining("Reset the device on your key's page"),
      link: { text: 'Your key', url },
    })
    await scene.edit('users', { last_reset: START }, key)
    expect(await denied({ key, ...OTHER })).toMatchObject({
      message: expect.stringContaining('You can reset the device in 1 hour,'),
      link: { url },
    })
    await scene.edit('projects', { allow_fingerprint_resets: 0 })
    expect((await denied({ key, ...OTHER })).link).toEqual({ text: 'Help', url: HELP })
  })

  it("leads to the project's support for problems that the customer cannot fix, and is absent without a support URL", async () => {
    expect(await denied({})).not.toHaveProperty('link')
    await support(HELP)
    const link = { text: 'Help', url: HELP }
    expect(await denied({})).toMatchObject({ message: expect.stringContaining('No key was given'), link })
    expect(await denied({ key: 'wrong' })).toMatchObject({ reason: 'invalid_key', link })
    await scene.edit('scripts', { enabled: 0 })
    expect(await denied({})).toMatchObject({ reason: 'script_disabled', link })
    await support('')
    expect(await denied({})).not.toHaveProperty('link')
  })

  it.each(LANGUAGES)('is in the language of the host, like the message: %s', async (language) => {
    const key = await scene.addUser()
    await scene.client.run(scene.scriptId, { key })
    await support(HELP)
    const link = { text: tellDenial(language, 'link_support'), url: HELP }
    expect(await denied({ lang: `${language}-XX`, key: 'wrong' })).toMatchObject({
      message: tellDenial(language, 'invalid_key'),
      link,
    })
    const mismatch = await denied({ lang: language, key, ...OTHER })
    expect(mismatch.link?.text).toBe(tellDenial(language, 'link_own_page'))
    expect(mismatch.message).toContain(tellDenial(language, 'reset_now'))
  })

  it('comes with a message about what the executor lacks if the device has no strong component', async () => {
    const key = await scene.addUser()
    const host = { executor: 'Garden', version: '', platform: 'game' }
    expect((await denied({ key, fp: {}, rt: 'luau', host })).message).toContain(
      'Your executor (Garden) has no working gethwid function',
    )
  })
})

describe.each(anyEngine)('the support URL of a project on $name', (engine) => {
  const { at } = serverOn(engine)

  it('can be set and read under /v1 and is cleared by an empty string', async () => {
    const { owner } = await makeScene(at())
    const created = await owner.post('/v1/projects/new', { name: 'Garden', support_url: HELP })
    const path = `/v1/projects/${created.body.project_id}`
    const shows = async (support_url: string | null) =>
      expect((await owner.get(path)).body.project).toMatchObject({ support_url })
    await shows(HELP)
    const edited = await owner.post(`${path}/edit`, { support_url: 'http://help.example.com' })
    expect(edited.body.project).toMatchObject({ support_url: 'http://help.example.com/' })
    await owner.post(`${path}/edit`, { name: 'Orchard' })
    await shows('http://help.example.com/')
    await owner.post(`${path}/edit`, { support_url: '' })
    await shows(null)
  })

  it('must be an HTTP or HTTPS URL of at most 200 characters', async () => {
    const { owner, projectId } = await makeScene(at())
    const bad = ['help', 'javascript:alert(1)', 'ftp://example.com', `https://example.com/${'x'.repeat(190)}`]
    for (const support_url of bad) {
      const { status, error } = await owner.post(`/v1/projects/${projectId}/edit`, { support_url })
      expect({ status, error }).toMatchObject({ status: 400, error: { failed: [{ field: 'support_url' }] } })
    }
  })

  it('is not part of the unversioned API', async () => {
    const { owner, projectId } = await makeScene(at())
    await owner.post(`/v1/projects/${projectId}/edit`, { support_url: HELP })
    expect((await owner.get(`/projects/${projectId}`)).body.project).not.toHaveProperty('support_url')
  })
})
