/** Operator commands work on the database of a running server. */
import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../test/databases.ts'
import { START, serverOn } from '../../test/harness.ts'
import { createOwner, createProject, createTier, createUser } from '../../test/nouns.ts'
import { watch } from '../../test/watch-events.ts'
import { endpoints } from '../endpoints.ts'
import { openKeyring } from '../platform/secrets/keyring.ts'
import { addAdmin } from './admin.ts'

describe.each(anyEngine)('the admin command line on $name', (engine) => {
  const { at } = serverOn(engine)

  /** Resolves to the output of `scriptward admin …`; rejects with its error. */
  async function admin(...words: string[]): Promise<string> {
    const printed: string[] = []
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} })
    addAdmin(program, {
      now: () => at().clock.now,
      random: randomBytes,
      print: (text) => void printed.push(text),
      config: () => at().deps.config,
    })
    for (const group of program.commands.flatMap(({ commands }) => commands))
      for (const command of group.commands) command.exitOverride().configureOutput({ writeErr: () => {} })
    await program.parseAsync(['admin', ...words], { from: 'user' })
    return printed.join('')
  }
  const adminJson = async (...words: string[]) => JSON.parse(await admin(...words, '--json'))

  it('ends the event streams of a running server when it replaces the API key that opened them', async () => {
    const owner = await at().createCustomer()
    const project = await createProject(owner)
    const stream = await watch(`${at().url}/v1/projects/${project}/sessions/events`, owner.apiKey)
    await stream.next()
    await admin('customers', 'reset-key', owner.id)
    await stream.ended()
  })

  it('has a command for every operator endpoint', async () => {
    const program = new Command()
    addAdmin(program, { now: Date.now, random: randomBytes, print: () => {}, config: () => at().deps.config })
    const groups = program.commands[0]?.commands ?? []
    const words = groups.flatMap((group) => group.commands.map((one) => `${group.name()} ${one.name()}`))
    const ofEndpoints = endpoints.filter(({ auth }) => auth === 'admin')
    expect(words).toHaveLength(ofEndpoints.length + 2)
    expect(words).toContain('customers reset-key')
    expect(words).toContain('tiers remove')
  })

  it('creates the setup link of a first owner, and a reset link for a dashboard user', async () => {
    const email = `shop-${at().clock.now}@example.com`
    const account = await at().createCustomer({ email })
    const link = (await admin('setup-link', email)).trim()
    expect(link).toMatch(/\/dashboard\/#\/set-up\/[\w-]{43}$/)
    const person = { email: `owner-of-${email}`, name: 'Owner', password: 'seven green bottles' }
    const body = { link: link.split('/').at(-1), ...person }
    expect((await at().client().post('/v1/auth/set-up', body)).status).toBe(200)
    await expect(admin('setup-link', account.id)).rejects.toThrow('This account already has members')
    await expect(admin('setup-link', 'none@example.com')).rejects.toThrow(
      'Account none@example.com does not exist',
    )
    expect(await admin('people', 'list')).toContain(person.email)
    expect(await admin('people', 'reset', person.email.toUpperCase())).toMatch(/#\/reset\/[\w-]{43}/)
    expect(await admin('people', 'disable', person.email)).toBe('done\n')
    const again = { email: person.email, password: person.password }
    expect((await at().client().post('/v1/auth/password', again)).error.type).toBe('wrong_credentials')
  })

  it('creates an account whose API key works immediately', async () => {
    const made = await adminJson('customers', 'create', '--email', 'made@example.com', '--tier', '2')
    expect(made).toMatchObject({ success: true, customer: { email: 'made@example.com', tier: 2 } })
    expect((await at().client(made.api_key).get('/v1/projects')).status).toBe(200)
  })

  it.runIf(engine === sqlite)(
    'prints a new API key even if its audit entry cannot be chained now',
    async () => {
      const { id } = await at().createCustomer()
      const change = (statement: string) => at().deps.db.transaction((tx) => sql.raw(statement).execute(tx))
      await change(
        "create trigger stuck before update on audit_chains begin select raise(abort, 'stuck'); end",
      )
      const { api_key } = await adminJson('customers', 'reset-key', id)
      await change('drop trigger stuck')
      expect((await at().client(api_key).get('/v1/projects')).status).toBe(200)
      const { entries } = await adminJson('audit', 'list')
      expect(entries[0]).toMatchObject({ action: 'admin.customers.resetKey', nouns: { id } })
    },
  )

  it('prints the response of the endpoint as JSON', async () => {
    const owner = await at().createCustomer()
    const shown = await at().admin.get(`/v1/admin/customers/${owner.id}`)
    expect(await adminJson('customers', 'get', owner.id)).toEqual(shown.body)
    const listed = await at().admin.get('/v1/admin/customers?from=1&limit=2')
    expect(await adminJson('customers', 'list', '--from', '1', '--limit', '2')).toEqual(listed.body)
  })

  it('finds an account by its email address, and accepts dates in place of timestamps', async () => {
    const owner = await at().createCustomer({ email: 'dated@example.com' })
    await admin('customers', 'edit', 'Dated@example.com', '--plan-expires', '2027-01-31', '--admin', 'true')
    const { body } = await at().admin.get(`/v1/admin/customers/${owner.id}`)
    expect(body.customer).toMatchObject({ plan_expires: Date.UTC(2027, 0, 31), admin: true })
  })

  it('keeps a text that looks like a date, and rejects a day that does not exist', async () => {
    const { id } = await at().createCustomer()
    await admin('customers', 'blacklist', id, '--reason', '2026-12-01')
    expect(await adminJson('customers', 'get', id)).toMatchObject({
      customer: { blacklist_reason: '2026-12-01' },
    })
    await expect(admin('customers', 'edit', id, '--plan-expires', '2027-02-30')).rejects.toThrow(
      '--plan-expires must be',
    )
  })

  it('prints readable tables and lines', async () => {
    const owner = await at().createCustomer({ email: 'read@example.com', plan_expires: START })
    const lines = (await admin('customers', 'list')).split('\n')
    expect(lines[0]).toMatch(/^id +email +tier +plan_expires/)
    expect(lines.find((line) => line.includes('read@example.com'))).toContain(new Date(START).toISOString())
    expect(lines.find((line) => line.includes('admin@localhost'))).toContain('never')
    expect(await admin('customers', 'get', owner.id)).toContain('email: read@example.com\n')
    expect(await admin('customers', 'blacklist', owner.id, '--reason', 'unpaid')).toBe('done\n')
    expect((await owner.get('/v1/projects')).error.type).toBe('forbidden')
  })

  it('removes an account with its users only after confirmation', async () => {
    const { owner, project } = await createOwner(at())
    await createUser(owner, project)
    await expect(admin('customers', 'remove', owner.id)).rejects.toThrow('--yes')
    expect((await owner.get('/v1/projects')).status).toBe(200)
    await admin('customers', 'remove', owner.id, '--yes')
    expect((await owner.get('/v1/projects')).status).toBe(401)
  })

  it('reports invalid input and changes nothing', async () => {
    const owner = await at().createCustomer()
    const tier = await createTier(at(), {})
    await admin('customers', 'edit', owner.id, '--tier', String(tier))
    for (const [words, complaint] of [
      [['customers', 'get', 'cus_none'], 'Account cus_none does not exist'],
      [['customers', 'edit', owner.id], 'cannot edit nothing'],
      [['customers', 'edit', owner.id, '--tier', 'best'], '--tier must be a whole number'],
      [['customers', 'edit', owner.id, '--tier', '999'], 'There is no service tier with this ID'],
      [['customers', 'create'], '--email is required'],
      [['customers', 'blacklist', owner.id, '--expires', '2001-01-01'], '--expires must be in the future'],
      [['tiers', 'put', '5', '--name', 'x'], '--max-users is required'],
      [['tiers', 'remove', String(tier), '--yes'], 'still has accounts'],
    ] as const) {
      await expect(admin(...words)).rejects.toThrow(complaint)
    }
  })

  it('rotates the server keys, and lists until when each is accepted', async () => {
    const { config, random } = at().deps
    const before = await openKeyring(config, random, false)
    expect(await admin('keys', 'rotate')).toContain('Restart every server process')
    const after = await openKeyring(config, random, false)
    const lines = (await admin('keys', 'list')).split('\n')
    expect(lines[1]).toBe(
      `${before.server.exchange.kid}  until ${new Date(START + 7 * 86_400_000).toISOString()}`,
    )
    expect(lines[2]).toBe(`${after.server.exchange.kid}  in use`)
  })

  it('does not create a database', async () => {
    const program = new Command()
    const config = {
      ...at().deps.config,
      dataDir: `${at().deps.config.dataDir}/missing`,
      databaseUrl: undefined,
    }
    addAdmin(program, { now: Date.now, random: randomBytes, print: () => {}, config: () => config })
    await expect(program.parseAsync(['admin', 'customers', 'list'], { from: 'user' })).rejects.toThrow(
      'start the server once',
    )
  })
})
