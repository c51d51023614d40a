/** The `/me` self-service page: customers can see and manage their own key, and nobody else can. */
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn, startServer } from '../../../test/harness.ts'
import { Surfer, visit } from '../../../test/pages/surfer.ts'
import { component, STRONG } from '../../../test/protocol/client.ts'
import { run } from '../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { insertRows, rowOf, rowsOf } from '../../../test/stored.ts'
import { MAX_SHOWN_SCRIPTS } from '../projects/brand.ts'
import { openEvent } from '../webhooks/events/events.ts'
import { VISIT_MS } from './self-service-visit.ts'

const HOUR = 3_600_000
const OTHER = { fp: { [STRONG]: component('second machine') } }

describe.each(anyEngine)('the page of a key on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const userOf = async (key: string) => (await scene.owner.get(`/users/${key}`)).body.user

  it('shows the state of the masked key, and puts the key into no URL and no log', async () => {
    const key = await scene.addUser({ key_expires: START + 5 * HOUR, max_executions: 7 })
    await scene.client.run(scene.scriptId, { key })
    const surfer = await visit(at(), key)
    const { text, headers } = surfer.shown
    expect(text).toContain('Garden')
    expect(text).toContain('Active')
    expect(text).toContain(`<code>${key.slice(0, 4)}&#8230;${key.slice(-4)}</code>`)
    expect(text).toContain('5 h left')
    expect(text).toContain('1 / 7')
    expect(text).toContain('127.0.*.*')
    expect(headers.get('cache-control')).toBe('no-store')
    const told = [text, ...surfer.addresses, ...surfer.setCookies, ...at().log]
    expect(told.filter((one) => one.includes(key))).toEqual([])
  })

  it('opens with a key that has the key format of its project, in upper or lower case', async () => {
    const { owner, projectId } = scene
    await owner.post(`/v1/projects/${projectId}/edit`, { key_format: 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X' })
    const key = (await owner.post(`/v1/projects/${projectId}/users/new`, {})).string('user_key')
    for (const typed of [key, key.toLowerCase()])
      expect((await visit(at(), typed)).shown.text).toContain(`<code>${key.slice(0, 4)}&#8230;`)
    const plain = await scene.addUser()
    expect((await visit(at(), plain.toUpperCase())).shown.status).toBe(403)
  })

  it("shows the plan's maximum number of runs, unless the key has its own", async () => {
    const body = { name: 'Pro', max_executions: 9 }
    const plan = await scene.owner.post(`/v1/projects/${scene.projectId}/plans/new`, body)
    const plan_id = plan.string('plan_id')
    expect((await visit(at(), await scene.addUser({ plan_id }))).shown.text).toContain('0 / 9')
    const own = await scene.addUser({ plan_id, max_executions: 7 })
    expect((await visit(at(), own)).shown.text).toContain('0 / 7')
  })

  it("shows how to run only the scripts that the key's plan includes", async () => {
    const { owner, projectId, scriptId } = scene
    const draft = { name: 'Other', script: 'print(1)' }
    const other = (await owner.post(`/projects/${projectId}/scripts/new`, draft)).string('script_id')
    const body = { name: 'Basic', scripts: [scriptId] }
    const plan = await owner.post(`/v1/projects/${projectId}/plans/new`, body)
    const limited = (await visit(at(), await scene.addUser({ plan_id: plan.string('plan_id') }))).shown.text
    expect(limited).toContain(`/loader/${scriptId}`)
    expect(limited).not.toContain(`/loader/${other}`)
    expect((await visit(at(), await scene.addUser())).shown.text).toContain(`/loader/${other}`)
  })

  it("shows the plan's script even if the project has more scripts than the page shows", async () => {
    const { owner, projectId } = scene
    const { seq: _, ...row } = await rowOf(at(), 'scripts', { id: scene.scriptId })
    const ids = Array.from({ length: MAX_SHOWN_SCRIPTS }, (_, i) => `scr_${i}_${projectId.slice(4)}`)
    await insertRows(
      at(),
      'scripts',
      ids.map((id) => ({ ...row, id })),
    )
    const last = ids.at(-1) ?? ''
    const body = { name: 'Basic', scripts: [last] }
    const plan_id = (await owner.post(`/v1/projects/${projectId}/plans/new`, body)).string('plan_id')
    expect((await visit(at(), await scene.addUser({ plan_id }))).shown.text).toContain(`/loader/${last}`)
    expect((await visit(at(), await scene.addUser())).shown.text).not.toContain(`/loader/${last}`)
  })

  it('shows the ten newest public notes of its scripts, escaped, and none that is private, yanked or not active yet', async () => {
    const { owner, scriptId } = scene
    const key = await scene.addUser()
    const versions = `/v1/scripts/${scriptId}/versions`
    expect((await visit(at(), key)).shown.text).not.toContain('What is new')
    for (let n = 2; n <= 14; n += 1) {
      at().clock.now += HOUR
      const notes = n === 13 ? '<b>late</b>\nline two' : `note ${n}.`
      await owner.post(`/v1/scripts/${scriptId}/update`, {
        script: 'print(1)',
        notes,
        notes_public: n !== 12,
      })
    }
    await owner.post(`${versions}/13/activate`)
    await owner.post(`${versions}/5/yank`)
    const { text } = (await visit(at(), key)).shown
    expect(text).toContain('What is new')
    expect(text).toContain('&lt;b&gt;late&lt;/b&gt;\nline two')
    const shown = [...text.matchAll(/note (\d+)\./g)].map(([, n]) => Number(n))
    expect(shown).toEqual([11, 10, 9, 8, 7, 6, 4, 3, 2])
    await owner.post(`${versions}/5/unyank`)
    const again = (await visit(at(), key)).shown.text
    expect([...again.matchAll(/note (\d+)\./g)].map(([, n]) => Number(n))).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3,
    ])
  })

  it('shows the expiry and a blacklist with its reason', async () => {
    const expired = await visit(at(), await scene.addUser({ key_expires: START - 1 }))
    expect(expired.shown.text).toContain('Expired')
    const banned = {
      blacklisted: 1,
      blacklist_reason: '<b>shared</b>',
      blacklist_expires: START + HOUR,
    } as const
    const blocked = await visit(at(), await scene.addUser(banned))
    expect(blocked.shown.text).toContain('Blocked')
    expect(blocked.shown.text).toContain('&lt;b&gt;shared&lt;/b&gt;')
    const over = await visit(at(), await scene.addUser({ ...banned, blacklist_expires: START }))
    expect(over.shown.text).toContain('Active')
  })

  it('shows a ban of its device, Discord account or visitor like a blacklist, and then does not allow unbinding', async () => {
    const ban = (members: object) => scene.owner.post(`/v1/projects/${scene.projectId}/bans/new`, members)
    const bound = await scene.addUser()
    await scene.client.run(scene.scriptId, { key: bound })
    const linked = await scene.addUser({ chat_id: '4711' })
    const surfer = await visit(at(), bound)
    expect(surfer.shown.text).toContain('Active')
    await ban({ kind: 'device', user_key: bound, reason: 'leaked it' })
    await ban({ kind: 'chat', user_key: linked, reason: 'spam' })
    expect((await surfer.submit('value="reset"')).text).not.toContain('Device reset.')
    expect(await userOf(bound)).toMatchObject({ fingerprint_assigned: true })
    for (const [key, reason] of [
      [bound, 'leaked it'],
      [linked, 'spam'],
    ] as const) {
      const { shown } = await visit(at(), key)
      expect(shown.text).toContain('Blocked')
      expect(shown.text).toContain(reason)
    }
    const stranger = await scene.addUser()
    expect((await visit(at(), stranger)).shown.text).toContain('Active')
    await ban({ kind: 'network', value: '127.0.0.0/24' })
    expect((await visit(at(), stranger)).shown.text).toContain('Blocked')
  })

  it('shows the plan of the key, and whether it is waiting, paused or in its grace period', async () => {
    const plans = `/v1/projects/${scene.projectId}/plans/new`
    const clock = { basis: 'first_use', duration: 5 * HOUR }
    const plan_id = (await scene.owner.post(plans, { name: 'Pro', clock, grace: HOUR })).string('plan_id')
    const sold = await scene.owner.post(`/v1/projects/${scene.projectId}/users/new`, { plan_id })
    const waiting = (await visit(at(), sold.string('user_key'))).shown.text
    for (const words of ['Pro', 'Not started yet', '5 hours from the first run'])
      expect(waiting).toContain(words)
    const key = await scene.addUser({ plan_id, key_expires: START + 3 * HOUR })
    await scene.owner.post(`/v1/users/${key}/pause`, {})
    const paused = (await visit(at(), key)).shown.text
    for (const words of ['Paused', '3 hours left']) expect(paused).toContain(words)
    const ended = (await visit(at(), await scene.addUser({ plan_id, key_expires: START - 1 }))).shown.text
    expect(ended).toContain('Grace period')
    expect(ended).toContain(new Date(START - 1 + HOUR).toISOString())
  })

  it('returns the same page for every invalid key', async () => {
    const removed = await scene.addUser()
    await scene.owner.post(`/users/${removed}/remove`)
    const keys = [removed, 'x', 'A'.repeat(32), 'A'.repeat(5000), 'ä'.repeat(60), "' or 1=1 --", '%', '']
    const surfer = new Surfer()
    await surfer.open(`${at().url}/me`)
    const answers: string[] = []
    for (const key of keys) {
      const { status, text } = await surfer.submit('name="key"', { key })
      answers.push(`${status} ${text}`)
    }
    expect(answers[0]).toMatch(/^403 [\s\S]*recognize this key/)
    expect(new Set(answers).size).toBe(1)
    expect(surfer.cookies.has('sw_visit')).toBe(false)
  })

  describe('unbinding', () => {
    it('allows the next device, is counted, and has a cooldown', async () => {
      const key = await scene.addUser()
      await scene.client.run(scene.scriptId, { key })
      expect((await scene.client.run(scene.scriptId, { key, ...OTHER })).reply.ok).toBe(false)
      const surfer = await visit(at(), key)
      expect((await surfer.submit('value="reset"')).text).toContain('Device reset.')
      expect(await userOf(key)).toMatchObject({ fingerprint_assigned: false, total_fingerprint_resets: 1 })
      expect((await scene.client.run(scene.scriptId, { key, ...OTHER })).reply.ok).toBe(true)
      at().clock.now += HOUR / 4
      const { text } = await surfer.open(`${at().url}/me`)
      expect(text).not.toContain('Device reset.')
      expect(text).toContain('data-seconds-left="2700"')
      expect(text).toMatch(/<button id="reset" disabled>/)
      await surfer.submit('value="reset"')
      expect(surfer.shown.text).toContain('cannot be reset right now')
      expect(await userOf(key)).toMatchObject({ fingerprint_assigned: true, total_fingerprint_resets: 1 })
      at().clock.now = START + HOUR
      const again = await visit(at(), key)
      expect((await again.submit('value="reset"')).text).toContain('Device reset.')
      expect(await userOf(key)).toMatchObject({ fingerprint_assigned: false, total_fingerprint_resets: 2 })
    })

    it('is reported to the owner as an action by the user', async () => {
      await scene.owner.post(`/v1/projects/${scene.projectId}/edit`, {
        information_webhook: 'https://hooks.example.com/x',
      })
      const key = await scene.addUser()
      await scene.client.run(scene.scriptId, { key })
      await (await visit(at(), key)).submit('value="reset"')
      const events = await rowsOf(at(), 'outbox')
      const [event] = events.filter(({ project_id }) => project_id === scene.projectId)
      expect(event?.type).toBe('user.fingerprint_reset')
      expect(JSON.parse(event ? openEvent(at().deps, event).data : '')).toMatchObject({
        actor: 'user',
        forced: false,
        user: { key },
      })
    })

    it.each([
      ['the project does not allow it', false, 'allow you to reset'],
      ['the key is blocked', true, 'cannot reset a blocked key'],
    ] as const)('is neither offered nor possible when %s', async (_, isBanned, words) => {
      const key = await scene.addUser()
      await scene.client.run(scene.scriptId, { key })
      const surfer = await visit(at(), key)
      const { action, hidden } = surfer.formWith('value="reset"')
      if (isBanned) await scene.edit('users', { blacklisted: 1 }, key)
      else await scene.edit('projects', { allow_fingerprint_resets: 0 })
      await surfer.open(new URL(action, surfer.shown.url).href, { form: hidden })
      expect(surfer.shown.text).toContain('cannot be reset right now')
      expect(surfer.shown.text).toContain(words)
      expect(surfer.shown.text).not.toContain('value="reset"')
      expect(await userOf(key)).toMatchObject({ fingerprint_assigned: true, total_fingerprint_resets: 0 })
    })
  })

  describe('sessions', () => {
    const join = async (key: string) => {
      const running = await run(scene.client, scene.scriptId, { key })
      const socket = await running.connect(at().url)
      return { running, socket, sid: (await socket.frame('ready')).sid }
    }

    it('are shown and can be ended, and the script is notified who ended them', async () => {
      const key = await scene.addUser()
      const { running, socket, sid } = await join(key)
      const surfer = await visit(at(), key)
      expect(surfer.shown.text).toContain('End main')
      expect((await surfer.submit(sid)).text).toContain('Session ended.')
      expect(await socket.frame('kick')).toMatchObject({ code: 53, reason: 'ended_by_user' })
      expect(await running.verdict()).toBe('ended_by_user')
      expect(await socket.closed).toBeGreaterThanOrEqual(4000)
      expect(surfer.shown.text).not.toContain(sid)
      expect((await scene.owner.get(`/v1/users/${key}/sessions`)).body.sessions).toEqual([])
    })

    it('of other users are hidden, and ending one looks like ending a missing one', async () => {
      const { sid } = await join(await scene.addUser())
      const key = await scene.addUser()
      await join(key)
      const surfer = await visit(at(), key)
      expect(surfer.shown.text).not.toContain(sid)
      const foreign = await surfer.submit('value="end"', { session: sid })
      const missing = await surfer.submit('value="end"', { session: `${sid.slice(0, -1)}~` })
      expect(foreign.text).toContain('had already ended')
      expect(missing.text).toBe(foreign.text)
      expect((await scene.owner.get(`/v1/sessions/${sid}`)).status).toBe(200)
    })
  })

  describe('a form', () => {
    it.each([
      ['without its token', { csrf: '' }, {}],
      ['with the token of another browser', { csrf: 'AAAAAAAAAAAAAAAAAAAAAA' }, {}],
      ['sent by another site', {}, { 'sec-fetch-site': 'cross-site' }],
      ['sent by another host of the same domain', {}, { 'sec-fetch-site': 'same-site' }],
      ['with the origin of another site', {}, { origin: 'https://elsewhere.example.com' }],
      ['with an opaque origin', {}, { origin: 'null' }],
    ])('%s changes nothing', async (_, fields, headers) => {
      const key = await scene.addUser()
      await scene.client.run(scene.scriptId, { key })
      const surfer = await visit(at(), key)
      const answer = await surfer.submit('value="reset"', fields, headers)
      expect(answer.status).toBe(403)
      expect(await userOf(key)).toMatchObject({ fingerprint_assigned: true })
      const fresh = new Surfer()
      await fresh.open(`${at().url}/me`)
      expect((await fresh.submit('name="key"', { key, ...fields }, headers)).status).toBe(403)
    })

    it('from the page itself is accepted', async () => {
      const key = await scene.addUser()
      const surfer = new Surfer()
      await surfer.open(`${at().url}/me`)
      const headers = { origin: at().url, 'sec-fetch-site': 'same-origin' }
      expect((await surfer.submit('name="key"', { key }, headers)).text).toContain('Active')
    })

    it('from before the key was entered is rejected', async () => {
      const key = await scene.addUser()
      const surfer = new Surfer()
      await surfer.open(`${at().url}/me`)
      const { hidden } = surfer.formWith('name="key"')
      await surfer.submit('name="key"', { key })
      expect((await surfer.submit('value="close"', { csrf: hidden.csrf ?? '' })).status).toBe(403)
    })
  })

  describe('a visit', () => {
    it('ends after half an hour, and when the user signs out', async () => {
      const key = await scene.addUser()
      const surfer = await visit(at(), key)
      at().clock.now += VISIT_MS - 1
      expect((await surfer.open(`${at().url}/me`)).text).toContain('Active')
      at().clock.now += 1
      expect((await surfer.open(`${at().url}/me`)).text).not.toContain('Active')
      const other = await visit(at(), key)
      expect((await other.submit('value="close"')).text).toContain('name="key"')
      expect(other.cookies.has('sw_visit')).toBe(false)
    })

    it('cannot be reopened with a copied cookie after signing out, and another visit of the same key continues', async () => {
      const key = await scene.addUser()
      const [surfer, other] = [await visit(at(), key), await visit(at(), key)]
      const copy = new Map(surfer.cookies)
      await surfer.submit('value="close"')
      for (const [name, value] of copy) surfer.cookies.set(name, value)
      expect((await surfer.open(`${at().url}/me`)).text).toContain('name="key"')
      expect((await other.open(`${at().url}/me`)).text).toContain('Active')
    })

    it('does not open for a changed or invented cookie', async () => {
      const surfer = await visit(at(), await scene.addUser())
      const sealed = surfer.cookies.get('sw_visit') ?? ''
      const changed = `${sealed.slice(0, 30)}${sealed[30] === 'A' ? 'B' : 'A'}${sealed.slice(31)}`
      for (const cookie of [changed, sealed.slice(0, -4), 'A', '', '%', 'A'.repeat(400)]) {
        surfer.cookies.set('sw_visit', cookie)
        const { status, text } = await surfer.open(`${at().url}/me`)
        expect([status, text.includes('name="key"')]).toEqual([200, true])
      }
    })

    it('ends with the key', async () => {
      const key = await scene.addUser()
      const surfer = await visit(at(), key)
      await scene.owner.post(`/users/${key}/remove`)
      expect((await surfer.open(`${at().url}/me`)).status).toBe(403)
      expect(surfer.cookies.has('sw_visit')).toBe(false)
      expect((await surfer.open(`${at().url}/me`)).status).toBe(200)
    })
  })

  it('uses the requested language and remembers it', async () => {
    const surfer = new Surfer()
    await surfer.open(`${at().url}/me?lang=de`)
    const key = await scene.addUser()
    await surfer.submit('name="key"', { key })
    expect(surfer.shown.text).toContain('Dein Key')
  })
})

describe.each(anyEngine)('on the page of a key on $name,', (engine) => {
  const { at } = serverOn(engine, { config: { clientRates: 1 } })
  const fresh = async () => {
    // Advances the clock beyond every rate limit window.
    at().clock.now += 24 * HOUR
    return makeScene(at())
  }

  it('five wrong keys pause other wrong keys from that IP address; existing keys still open, and scripts run', async () => {
    const scene = await fresh()
    const neighbor = await makeScene(at())
    const keys = [await scene.addUser(), await neighbor.addUser()]
    const surfer = new Surfer()
    await surfer.open(`${at().url}/me`)
    for (let n = 0; n < 5; n += 1) await surfer.submit('name="key"', { key: `wrong ${n}` })
    const paused = await surfer.submit('name="key"', { key: 'wrong 5' })
    expect([paused.status, paused.headers.get('retry-after')]).toEqual([429, '900'])
    expect(paused.text).toContain('15 min')
    for (const key of keys) expect((await visit(at(), key)).shown.text).toContain('Active')
    expect((await scene.client.run(scene.scriptId, { key: 'wrong' })).reply).toMatchObject({ code: 10 })
    at().clock.now += 15 * 60_000
    expect((await surfer.submit('name="key"', { key: 'wrong 6' })).status).toBe(403)
  })

  it('an empty field does not count as a wrong key', async () => {
    await fresh()
    const surfer = new Surfer()
    await surfer.open(`${at().url}/me`)
    for (let n = 0; n < 6; n += 1) await surfer.submit('name="key"', { key: ' ' })
    expect((await surfer.submit('name="key"', { key: 'wrong' })).status).toBe(403)
  })

  it('an IP address can send sixty requests a minute', async () => {
    await fresh()
    const ask = async () => (await fetch(`${at().url}/me`)).status
    const answers: number[] = []
    for (let n = 0; n < 61; n += 1) answers.push(await ask())
    expect(answers).toEqual([...Array(60).fill(200), 429])
    at().clock.now += 1000
    expect(await ask()).toBe(200)
  })

  it('a key can try to unbind five times an hour', async () => {
    const scene = await fresh()
    const key = await scene.addUser()
    await scene.client.run(scene.scriptId, { key })
    const surfer = await visit(at(), key)
    const { action, hidden } = surfer.formWith('value="reset"')
    await scene.edit('projects', { allow_fingerprint_resets: 0 })
    const tries: boolean[] = []
    for (let n = 0; n < 6; n += 1) {
      const answer = await surfer.open(new URL(action, surfer.shown.url).href, { form: hidden })
      tries.push(answer.text.includes('Too many attempts'))
    }
    expect(tries).toEqual([false, false, false, false, false, true])
  })
})

describe.each(anyEngine)('on $name', (engine) => {
  it('cookies of the page of a key are limited to this host with TLS, and to this page without it', async () => {
    const kinds = [
      [
        'https://keys.example.com',
        /^__Host-\w+=[^;]*; Path=\/; HttpOnly; SameSite=Lax; Secure(; Max-Age=\d+)?$/,
      ],
      ['http://keys.example.com', /^\w+=[^;]*; Path=\/me; HttpOnly; SameSite=Lax(; Max-Age=\d+)?$/],
    ] as const
    for (const [baseUrl, form] of kinds) {
      const server = await startServer(engine, { config: { baseUrl } })
      try {
        const scene = await makeScene(server)
        const surfer = await visit(server, await scene.addUser())
        expect(surfer.setCookies.length).toBeGreaterThan(1)
        for (const line of surfer.setCookies) expect(line).toMatch(form)
      } finally {
        await server.close()
      }
    }
  })

  it('the page of a key shows an error without a database, and no key reaches the log', async () => {
    const server = await startServer(engine)
    try {
      const key = await (await makeScene(server)).addUser()
      const surfer = await visit(server, key)
      await server.deps.db.close()
      const answer = await surfer.open(`${server.url}/me`)
      expect(answer.status).toBeGreaterThanOrEqual(500)
      expect(answer.text).toContain('Something went wrong')
      expect(answer.text).toContain(`<code>${answer.headers.get('x-request-id')}</code>`)
      expect(server.log.some((line) => line.includes('request failed'))).toBe(true)
      const visitCookie = surfer.cookies.get('sw_visit') ?? key
      expect(server.log.filter((line) => line.includes(key) || line.includes(visitCookie))).toEqual([])
    } finally {
      await server.stop().catch(() => {})
      await server.location.remove()
    }
  })
})
