/** Lists the pages outside of projects: account, team, operators, and public pages. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { issueOnce, linkFor } from '../../packages/server/src/features/access/single-use.ts'
import { chainEntries } from '../../packages/server/src/features/audit/chain.ts'
import { makeSetUpLink } from '../../packages/server/src/features/people/sign-in/set-up.ts'
import { createOwner, createProject, createScript, createUser } from '../../packages/server/test/nouns.ts'
import { createPerson } from '../../packages/server/test/people.ts'
import { idOfOperator } from '../sign-in.ts'
import type { Room } from './inspect.ts'
import { goTo } from './looks-of-users.ts'
import type { Stage } from './stage.ts'
import { button, DAY_MS, dialog } from './users-steps.ts'

const UNKNOWN = 'A'.repeat(43)

const projects: Room = async ({ server }) => {
  const owner = await server.createCustomer()
  for (let n = 1; n < 12; n += 1) await createProject(owner, { name: `Garden ${n}` })
  const project = await createProject(owner, { name: 'P'.repeat(100) })
  for (let n = 0; n < 3; n += 1) await createUser(owner, project)
  await createScript(owner, project)
  return {
    account: owner.id,
    address: '#/',
    states: {
      'in the list': (page) => page.getByRole('link', { name: 'Garden 11' }).waitFor(),
      'none is found': async (page) => {
        await page.getByRole('searchbox').fill('harbour')
        await page.getByRole('heading', { name: 'No matching projects' }).waitFor()
      },
    },
  }
}

const audit: Room = async ({ server }) => {
  const { owner, project } = await createOwner(server, {}, { name: 'Garden' })
  await owner.post(`/v1/projects/${project}/edit`, { name: 'Orchard' })
  while (await chainEntries(server.deps));
  return {
    account: owner.id,
    address: '#/audit',
    states: {
      'an entry that is open': async (page) => {
        await page.locator('details.entry summary', { hasText: /edited project/ }).click()
        await page.locator('details.entry[open]').waitFor()
      },
      'without entries': async (page) => {
        await goTo(page, '#/audit?noun=prj_none')
        await page.getByRole('heading', { name: 'No entries' }).waitFor()
      },
    },
  }
}

const team: Room = async ({ server }) => {
  const { owner, project } = await createOwner(server, {}, { name: 'Garden' })
  await createPerson(server, owner.id, { role: 'admin' })
  await owner.post('/v1/members/invite', { email: 'sam@example.com', role: 'support' })
  const name = 'A token whose name is longer than a telephone is wide'
  await owner.post('/v1/tokens/new', { name, scopes: ['users:issue', 'users:read'], projects: [project] })
  await owner.post('/v1/tokens/new', { name: 'CI', scopes: ['scripts:write'] })
  return {
    account: owner.id,
    address: '#/members',
    states: {
      members: (page) => page.getByText('sam@example.com').waitFor(),
      tokens: async (page) => {
        await goTo(page, '#/tokens')
        await page.getByText('CI', { exact: true }).waitFor()
      },
    },
  }
}

const operators: Room = async ({ server }) => {
  const { owner } = await createOwner(server)
  const room = (name: string) => async (page: Page) => {
    await goTo(page, `#/operators/${name}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('[class*="skeleton"]').first().waitFor({ state: 'detached' })
  }
  return {
    account: await idOfOperator(server),
    address: '#/operators/customers',
    states: {
      'a customer': room(`customers?customer=${owner.id}`),
      people: room('customers?tab=people'),
      tiers: room('tiers'),
      'the system': room('system'),
      'a disk that is almost full': async (page) => {
        await page.route('**/v1/admin/system', async (route) => {
          const response = await route.fetch()
          await route.fulfill({ response, json: almostFull(await response.json()) })
        })
        await room('system')(page)
        await page.getByText('Critical').first().waitFor()
      },
      'a test email that failed': async (page) => {
        await page.getByRole('button', { name: 'Send a test email' }).click()
        await dialog(page).getByLabel('Recipient').fill('ada@example.com')
        await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
        await dialog(page)
          .getByText(/ECONNREFUSED/)
          .waitFor()
      },
      'no backups': async (page) => {
        await page.unroute('**/v1/admin/system')
        await goTo(page, '#/operators/system?tab=backups')
        await page.getByRole('heading', { name: 'No backups yet' }).waitFor()
      },
      'its backups': async (page) => {
        placeBackup(server.deps.config.backup.dir)
        await goTo(page, '#/operators/system?tab=backups')
        await page.getByText('Before update 0002-labels').waitFor()
        await page.getByText('1.8 MB').first().waitFor()
      },
      'a restore': async (page) => {
        await page.getByRole('button', { name: /^Actions/ }).click()
        await page.getByRole('menuitem', { name: 'Restore…' }).click()
        await dialog(page)
          .getByText(/scriptward restore/)
          .waitFor()
      },
    },
  }
}

type System = { readonly figures: object; readonly findings: readonly { readonly name: string }[] }

function almostFull(system: System) {
  const disk = { free: 1_900_000_000, total: 250_000_000_000 }
  const requests = { per_minute: 412.5, p95_ms: 23.4 }
  const text =
    'only 1900 MB (0.8%) free on the disk of /var/lib/scriptward: when the disk is full, nothing is saved and scripts stop running. Delete old backups, move SCRIPTWARD_BACKUP_DIR to another disk, or enlarge this one'
  const finding = { name: 'disk', state: 'wrong', text, since: Date.now() - DAY_MS }
  return {
    ...system,
    figures: { ...system.figures, disk, requests: { last_5_minutes: requests, last_hour: requests } },
    findings: [...system.findings.filter(({ name }) => name !== 'disk'), finding],
  }
}

function placeBackup(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const name = 'scriptward-2026-06-15T12-00-00-000Z-before-0002-labels.tar.zst.age'
  writeFileSync(path.join(folder, name), Buffer.alloc(184_320_000 / 100))
}

const commandLine: Room = async ({ server }) => {
  const owner = await server.createCustomer()
  const projects = await createProject(owner, { name: 'Harbour' })
  const query = new URLSearchParams({
    name: 'Command line on ada-laptop',
    scopes: 'projects:write,scripts:write,scripts:source,users:write,sessions:write',
    projects,
    port: '5000',
    state: 's'.repeat(20),
    code_challenge: 'c'.repeat(43),
    expires_at: '1798761600000',
  })
  return {
    account: owner.id,
    seat: { role: 'custom', scopes: ['tokens:write', 'projects:write', 'scripts:write'] },
    address: `#/command-line?${query}`,
    states: {
      'that asks': (page) => page.getByText('Harbour', { exact: true }).waitFor(),
      'that is signed in': async (page) => {
        await goTo(page, '#/command-line/done')
        await page.getByRole('heading', { level: 1 }).waitFor()
      },
    },
  }
}

const profile: Room = async ({ server }) => {
  const account = await server.createCustomer()
  const scan = async (page: Page) => {
    await button(page, 'Add an authenticator app').click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
  }
  return {
    account: account.id,
    address: '#/profile',
    states: {
      'of a new person': async (page) => {
        await button(page, 'Add an authenticator app').waitFor()
        await page.getByText('No passkeys yet.').waitFor()
      },
      'with a second factor to scan': scan,
      'with recovery codes': async (page) => {
        const secret = (await dialog(page).locator('.secret code').textContent()) ?? ''
        const app = new TOTP({ secret: secret.replaceAll(' ', '') })
        await page.getByLabel('Code from the app').fill(app.generate({ timestamp: server.clock.now }))
        await button(page, 'Turn on').click()
        await page.locator('h2:focus').filter({ hasText: 'Your backup codes' }).waitFor()
      },
      'after the session expired': async (page) => {
        await button(page, "I've saved them").click()
        await page.context().clearCookies()
        await page.getByLabel('Your name').fill('Grace')
        await button(page, 'Save').first().click()
        await page.getByText('Your session expired.').waitFor()
      },
    },
  }
}

const account: Room = async ({ server }) => {
  const { id } = await server.createCustomer({ tier: 2, plan_expires: server.clock.now + 20 * DAY_MS })
  return {
    account: id,
    address: '#/account/api',
    states: {
      'of an owner': (page) => button(page, 'Turn off legacy URLs').waitFor(),
      'before its key is replaced': (page) => button(page, 'Replace API key').click(),
      'with its new key': async (page) => {
        await button(page, 'Replace').click()
        await button(page, 'Done').waitFor()
      },
      'and its usage': async (page) => {
        await goTo(page, '#/account/usage')
        await page.getByText('Requests per second').waitFor()
      },
      'and its tier, by an old link': async (page) => {
        await goTo(page, '#/account')
        await page.getByRole('heading', { level: 1, name: 'Billing tier' }).waitFor()
        await page.getByText('Obfuscations this month').first().waitFor()
      },
      'and leaving it': async (page) => {
        await goTo(page, '#/account/danger')
        await button(page, 'Leave').waitFor()
      },
    },
  }
}

const accountOfHelper: Room = async ({ server }) => ({
  account: (await server.createCustomer()).id,
  seat: { role: 'support' },
  address: '#/account/tier',
  states: { 'as it is': (page) => page.locator('main').getByText('View the account').first().waitFor() },
})

const doors: Room = async (stage) => {
  const owner = await stage.server.createCustomer()
  const known = await createPerson(stage.server)
  const invite = async (email: string) =>
    (await owner.post('/v1/members/invite', { email, role: 'support' })).string('link')
  const pages = {
    'signing in': '#/',
    'an invitation': new URL(await invite(`new-${owner.id}@example.com`)).hash,
    'an invitation of a known person': new URL(await invite(known.email)).hash,
    'setting up': new URL(await setUpLink(stage, owner.id)).hash,
    'a new password': new URL(await resetLink(stage, known.id)).hash,
    'a forgotten password': '#/reset',
    'signing up': '#/sign-up',
    'a confirmation': `#/confirm/${UNKNOWN}`,
    'a dead link': `#/set-up/${UNKNOWN}`,
    'a dead link for a password': `#/reset/${UNKNOWN}`,
  }
  const open = (name: string, hash: string) => async (page: Page) => {
    const address = page.url().replace(/#.*/, hash)
    await page.goto('about:blank')
    await page.goto(address)
    await page.locator('.panel :is(input, .button, button, code):visible').first().waitFor()
    const dead = page.getByRole('heading', { name: 'This link has expired' })
    await dead.waitFor({ state: name.startsWith('a dead') ? 'visible' : 'detached' })
  }
  return {
    address: '#/',
    states: Object.fromEntries(Object.entries(pages).map(([name, hash]) => [name, open(name, hash)])),
  }
}

async function setUpLink({ server }: Stage, id: string): Promise<string> {
  const link = await makeSetUpLink(server.deps, id)
  if (typeof link !== 'string') throw new Error(link.reason)
  return link
}

async function resetLink({ server }: Stage, personId: string): Promise<string> {
  const { deps } = server
  const given = { purpose: 'reset', personId, data: {}, forMs: DAY_MS } as const
  return linkFor(deps.config, 'reset', await deps.db.transaction((tx) => issueOnce(deps, tx, given)))
}

export const ROOMS_OF_ACCOUNTS: Readonly<Record<string, Room>> = {
  projects,
  'the audit log': audit,
  'the team and its tokens': team,
  'the rooms of operators': operators,
  'a command line': commandLine,
  'the profile': profile,
  'the account': account,
  'the account as a helper sees it': accountOfHelper,
  'the pages before a sign-in': doors,
}
