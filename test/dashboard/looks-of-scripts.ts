/** Lists a project's pages for scripts and their results, with data. */
import type { Page } from 'playwright-core'
import { groupAll, listErrors, protectedLines, reportErrors } from '../../packages/server/test/errors.ts'
import type { Owner } from '../../packages/server/test/harness.ts'
import { joinSession } from '../../packages/server/test/live-sessions.ts'
import { createOwner, createProject, createScript, createUser } from '../../packages/server/test/nouns.ts'
import { countCustomers, reviewAll } from '../../packages/server/test/releases.ts'
import { loggedExecution } from '../../packages/server/test/store/rows.ts'
import { changeRows, insertRows } from '../../packages/server/test/stored.ts'
import { addressesOf } from '../../packages/server/test/webhooks/addresses.ts'
import { deliver, startReceiver, status } from '../../packages/server/test/webhooks/receiver.ts'
import { makeBusy } from './busy-project.ts'
import { editor, panel } from './forms.ts'
import type { Room } from './inspect.ts'
import { goTo } from './looks-of-users.ts'
import type { Stage } from './stage.ts'
import { button, DAY_MS, dialog, row } from './users-steps.ts'

const NAME = `عربي 🎉 greeter ${'long '.repeat(15)}end`
const HOUR_MS = 3_600_000
const MARKED = `local a_marked_price = WARD_SERVER(function(amount) return 10 * amount end)
local places = WARD_SERVER({ mill = 3 })
print(a_marked_price(1), places.mill)
`
const TABS = {
  overview: 'Hidden strings',
  new: 'Tab to leave the editor',
  versions: 'Version 2',
  reported: 'No errors yet',
  executors: 'Would be denied',
  run: 'No output yet.',
  settings: 'End outdated runs',
  errors: 'Find lines',
  trace: 'Find the source of the leak',
} as const

const busy: Room = async (stage) => {
  const { owner, project, scripts } = await makeBusy(stage.server)
  const rooms = {
    overview: 'Recent denials',
    statistics: 'Denials by reason',
    denials: 'Top causes',
  }
  const see = async (page: Page, room: string, heading: string) => {
    await goTo(page, `#/projects/${project}/${room.replace('overview', '')}`)
    await panel(page, heading).locator('li').first().waitFor()
  }
  return {
    account: owner.id,
    address: `#/projects/${project}`,
    states: {
      ...Object.fromEntries(
        Object.entries(rooms).map(([room, heading]) => [room, (page: Page) => see(page, room, heading)]),
      ),
      'a denied customer': async (page) => {
        await button(page, 'Denied: different device').first().click()
        await dialog(page).getByText('How to fix it').waitFor()
      },
      logs: async (page) => {
        await goTo(page, `#/projects/${project}/logs`)
        await row(page, 'Crashed').first().waitFor()
      },
      'a denied run': async (page) => {
        const { now } = stage.server.clock
        await goTo(
          page,
          `#/projects/${project}/logs?from=${now - 3 * HOUR_MS}&to=${now}&script_id=${scripts[0]}`,
        )
        await button(page, 'Denied: key expired').first().click()
        await dialog(page).getByText('How to fix it').waitFor()
      },
      'no run': async (page) => {
        await goTo(page, `#/projects/${project}/logs?executor=${encodeURIComponent(NAME)}`)
        await page.getByRole('heading', { name: 'No matches' }).waitFor()
      },
      'a log that cannot be loaded': async (page) => {
        await page.route('**/executions/log?*', (route) => route.abort())
        await goTo(page, `#/projects/${project}/logs?executor=none`)
        await button(page, 'Try again').first().waitFor()
        await page.unrouteAll()
      },
      'a time range of the log': async (page) => {
        await goTo(page, `#/projects/${project}/logs?from=${stage.server.clock.now - HOUR_MS}`)
        await page.getByRole('button', { name: /^Period:/ }).click()
        await button(page, 'Choose a time range').click()
        await dialog(page).getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
        await button(page, 'Show runs').click()
        await dialog(page).getByRole('alert').waitFor()
      },
    },
  }
}

/** Creates scripts in every state that the list shows. */
const list: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  const options = { preset: 'light' }
  const day = Math.floor(stage.server.clock.now / DAY_MS)
  const add = async (name: string, runs: number, crashed: number) => {
    const script_id = await createScript(owner, project, { name, options })
    const days = Array.from({ length: 14 }, (_, i) => ({
      ...{ script_id, version: 1, executor: '', day: day - i, runs: runs + 7 * ((i * 5) % 9) },
      crashed: i < 7 ? crashed : 0,
    }))
    if (runs > 0) await insertRows(stage.server, 'version_health', days)
    return script_id
  }
  const hub = await add('hub', 1200, 40)
  await add('auto-farm', 731, 1)
  await add(NAME, 12, 0)
  const old = await add('old-hub', 0, 0)
  await owner.post(`/v1/scripts/${old}/toggle`, { state: false })
  await owner.post(`/v1/scripts/${old}/edit`, { free_for_all: true })
  await owner.post(`/v1/scripts/${hub}/update`, { script: 'print(2)', release: { percent: 25 } })
  await changeRows(stage.server, 'releases', { script_id: hub }, { held: 1 })
  return {
    account: owner.id,
    address: `#/projects/${project}/scripts`,
    states: {
      'in every state': (page) => page.getByText('Held by the guard').waitFor(),
      'none that matches': async (page) => {
        await page.getByRole('searchbox').fill('no such script')
        await page.getByText('No matches').waitFor()
      },
    },
  }
}

const scripts: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  const id = await createScript(owner, project, { name: NAME, options: { preset: 'light' } })
  await owner.post(`/v1/scripts/${id}/update`, {
    script: 'print("hello again")\n',
    options: { preset: 'balanced' },
    notes:
      'The shop opens twice as fast, and prices are shown in the currency of the customer\nAlso: a new sound',
  })
  const long = Array.from(
    { length: 40_000 },
    (_, n) => `local a_${n % 150} = ${n} -- a comment for the length`,
  )
  const second = [...long.slice(0, 100), 'print("one more line")', ...long.slice(102)]
  const other = await createProject(owner)
  const big = await createScript(owner, other, {
    name: 'Big',
    script: `return [[${long.join('\n')}]]`,
    options: { preset: 'light' },
  })
  await owner.post(`/v1/scripts/${big}/update`, { script: `return [[${second.join('\n')}]]` })
  const rules = [{ action: 'deny', executor: NAME.slice(0, 60), versions: ['2.*', '3.0'] }]
  await owner.post(`/v1/scripts/${id}/executor-rules/edit`, { mode: 'watch', rules })
  const tabs = Object.entries(TABS).map(([tab, words]) => {
    const open = async (page: Page) => {
      await goTo(page, `#/projects/${project}/scripts/${id}?tab=${tab}`)
      await page.getByText(words).first().waitFor()
    }
    return [`the tab ${tab} of one`, open] as const
  })
  return {
    account: owner.id,
    address: `#/projects/${project}/scripts?new=script`,
    states: {
      'a new one with a mistake': async (page) => {
        await editor(page).fill('if true the')
        await page.getByText('Advanced').click()
        await button(page, 'Upload and protect').click()
        await page.getByText('1 error in the script').waitFor()
      },
      ...Object.fromEntries(tabs),
      'one of the versions': async (page) => {
        await goTo(page, `#/projects/${project}/scripts/${id}?tab=versions`)
        await page.getByRole('button', { name: /^Version 1/ }).click()
        await dialog(page).getByText('Build report').waitFor()
      },
      'versions that are compared': async (page) => {
        await page.keyboard.press('Escape')
        await goTo(page, `#/projects/${project}/scripts/${id}?tab=versions`)
        await page.getByRole('button', { name: 'Actions for Version 1' }).click()
        await page.getByRole('menuitem', { name: 'Compare' }).click()
        await dialog(page).locator('.cm-content').first().waitFor()
      },
      'long versions that are compared': async (page) => {
        await goTo(page, `#/projects/${other}/scripts/${big}?tab=versions`)
        await page.getByRole('button', { name: 'Actions for Version 1' }).click()
        await page.getByRole('menuitem', { name: 'Compare' }).click()
        await dialog(page).getByText('one more line').waitFor()
      },
      'notes of a yanked version': async (page) => {
        await owner.post(`/v1/scripts/${id}/versions/1/yank`)
        await goTo(page, `#/projects/${project}/scripts/${id}?tab=versions`)
        // Versions that were loaded within the last five seconds are not loaded again.
        await page.reload()
        await page.getByText('Yanked', { exact: true }).first().waitFor()
        await page.getByRole('button', { name: 'Actions for Version 1' }).click()
        await page.getByRole('menuitem', { name: 'Edit notes' }).click()
        await dialog(page).waitFor()
      },
    },
  }
}

const functions: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  const empty = await createScript(owner, project, { options: { preset: 'light' } })
  const options = { preset: 'light' }
  const id = await createScript(owner, project, { name: 'Marked', script: MARKED, options })
  const long = `a_${'long_'.repeat(7)}end`
  const source = 'return function(run, item, amount)\n  return 10 * amount\nend\n'
  for (const name of ['price', long]) await owner.put(`/v1/scripts/${id}/functions/${name}`, { source })
  const last_problem = `${long}:3: attempt to index nil with '${'x'.repeat(150)}'`
  const failed = { calls: 1204, failures: 1, last_problem, last_failed_at: stage.server.clock.now }
  for (const name of ['a_marked_price', long])
    await changeRows(stage.server, 'server_functions', { script_id: id, name }, { ...failed, cpu_ms: 602 })
  return {
    account: owner.id,
    address: `#/projects/${project}/scripts/${empty}?tab=functions`,
    states: {
      'without any': (page) => page.getByText('Nothing moved to the server yet').waitFor(),
      'in the list': async (page) => {
        await goTo(page, `#/projects/${project}/scripts/${id}?tab=functions`)
        await page.getByText('1,204 calls').nth(1).waitFor()
      },
      'in the build report': async (page) => {
        await goTo(page, `#/projects/${project}/scripts/${id}?tab=overview`)
        await page.getByText('1 function, 1 table').waitFor()
      },
      'one that does not compile': async (page) => {
        await goTo(page, `#/projects/${project}/scripts/${id}?tab=functions`)
        await page.getByRole('link', { name: `Edit and try “${long}”` }).click()
        await editor(page, 'Function source').fill('return = 1')
        await button(page, 'Save').click()
        await page.locator('.cm-lint-marker-error').waitFor()
        await page.getByLabel('Values').fill('["gold", 3]')
        await button(page, 'Try it').click()
        await page.getByRole('region', { name: 'Result' }).waitFor()
      },
    },
  }
}

const FAILING = `local shop = {}
function shop.a_function_with_a_${'long_'.repeat(10)}name(item)
  local price = item.price.gold -- ${'a comment that is long '.repeat(12)}
  return price
end
pcall(shop.a_function_with_a_${'long_'.repeat(10)}name, {})
`

const reported: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  const options = { preset: 'light' }
  const script_id = await createScript(owner, project, { name: 'Failing', script: FAILING, options })
  const user_key = await createUser(owner, project, {
    note: 'a note that is long enough to wrap',
    chat_id: '12345678',
  })
  const at = await protectedLines(stage.server, script_id, { line: 3 })
  const outer = await protectedLines(stage.server, script_id, { line: 6 })
  const lines = [...at.slice(0, 1), ...outer.slice(0, 1)]
  const run = { project_id: project, script_id, user_key }
  const text = `Failing:${at[0]}: attempt to index field 'price' (a nil value)`
  await reportErrors(stage.server, run, {
    text,
    at: lines,
    n: 1204,
    tags: { item: 'rake', ['x'.repeat(64)]: 'y'.repeat(64) },
  })
  const executor = 'an executor with a long name that goes on'
  await reportErrors(
    stage.server,
    { ...run, user_key: null, exec: 'run-2', executor },
    { text, at: lines },
    { text: `<b>bold</b> عربي 🎉 ${'unbroken'.repeat(60)}`, kind: 'caught' },
    { text: 'done with it', kind: 'thread' },
  )
  await groupAll(stage.server)
  const known = await listErrors(owner, script_id)
  const named = (words: string) => known.find(({ message }) => String(message).includes(words))?.id
  const edit = (id: unknown, body: object) => owner.post(`/v1/scripts/${script_id}/errors/${id}/edit`, body)
  await edit(named('done'), { state: 'resolved', note: 'fixed in version 2' })
  await edit(named('bold'), { state: 'ignored' })
  const show = async (page: Page, words: string) => {
    await goTo(page, `#/projects/${project}/scripts/${script_id}?tab=reported&error=${named(words)}`)
    await dialog(page).getByRole('list', { name: 'Latest reports' }).waitFor()
  }
  const logged = { ...loggedExecution, project_id: project, script_id, outcome: 'crashed' as const }
  await insertRows(stage.server, 'execution_log', {
    ...logged,
    ...{ exec: 'run-2', at: stage.server.clock.now, user_key: null, executor },
  })
  return {
    account: owner.id,
    address: `#/projects/${project}/scripts/${script_id}?tab=reported`,
    states: {
      'in the list': (page) => page.getByRole('table').getByText('1,205').waitFor(),
      'one with source lines': async (page) => {
        await show(page, 'attempt')
        await dialog(page).getByText('Call stack').click()
        await button(page, 'Show affected customers').click()
        await dialog(page).getByRole('list', { name: 'Affected customers' }).waitFor()
      },
      'a message to its customers': async (page) => {
        await button(page, 'Message affected customers').click()
        await dialog(page).getByText('affected by this error.').waitFor()
      },
      'its customers and reports': async (page) => {
        await page.keyboard.press('Escape')
        await dialog(page).getByRole('list', { name: 'Latest reports' }).scrollIntoViewIfNeeded()
      },
      'one without a place': (page) => show(page, 'bold'),
      'a resolved one': (page) => show(page, 'done'),
      'that cannot be loaded': async (page) => {
        await page.route('**/errors?*', (route) => route.abort())
        await goTo(page, `#/projects/${project}/scripts/${script_id}?tab=reported&version=9`)
        await page.getByRole('button', { name: 'Try again' }).first().waitFor()
        await page.unrouteAll()
      },
      'of a run in the log': async (page) => {
        await goTo(page, `#/projects/${project}/logs`)
        await button(page, 'Crashed').click()
        await dialog(page).getByRole('link', { name: 'done with it' }).waitFor()
      },
    },
  }
}

/** Creates one release in each state, and a channel whose release the guard holds. */
async function releasesIn(stage: Stage, owner: Owner, id: string, plan: string) {
  const { server } = stage
  const path = `/v1/scripts/${id}`
  const start = async (n: number, body: object) =>
    ((await owner.post(`${path}/versions/${n}/release`, body)).body.release as { id: string }).id
  const count = async (release: string, fresh: 0 | 1, customers: number, bad: number, executor?: string) =>
    countCustomers(server, release, { fresh, customers, bad, ...(executor && { executor }) })
  for (const n of [2, 3, 4, 5]) await owner.post(`${path}/update`, { script: `print(${n})` })
  await owner.post(`${path}/versions/1/activate`)
  await start(2, { percent: 100, guard: 'off' })
  const executor = 'an executor with a long name that goes on'
  const bad = await start(3, { percent: 25 })
  await count(bad, 1, 120, 50, executor)
  await count(bad, 0, 400, 3, executor)
  await reviewAll(server)
  await owner.post(`${path}/channels/beta`, { tags: ['tester', 'x'.repeat(64)], plans: [plan] })
  await owner.post(`${path}/channels/canary-with-a-long-name-of-the-w`, {})
  const held = await start(5, { channel: 'beta', percent: 50, guard: 'hold' })
  for (const each of [executor, 'Garden']) {
    await count(held, 1, 80, 30, each)
    await count(held, 0, 90, 1, each)
  }
  const running = await start(4, {})
  await count(running, 1, 64, 1)
  await count(running, 0, 1204, 11)
  await start(5, { channel: 'canary-with-a-long-name-of-the-w', percent: 10 })
  await reviewAll(server)
}

const releases: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  const options = { preset: 'light' }
  const empty = await createScript(owner, project, { name: 'Empty', options })
  const id = await createScript(owner, project, { name: 'Greeter', options })
  const plan = (await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Testers' })).string('plan_id')
  await releasesIn(stage, owner, id, plan)
  const tab = (script: string) => `#/projects/${project}/scripts/${script}?tab=releases`
  const cancel = (page: Page) => dialog(page).getByRole('button', { name: 'Cancel' }).click()
  const discard = async (page: Page) => {
    await cancel(page)
    await dialog(page).getByRole('button', { name: 'Discard' }).click()
  }
  return {
    account: owner.id,
    address: tab(empty),
    states: {
      'without any': (page) => page.getByText('No release is open.').waitFor(),
      'in every state': async (page) => {
        await goTo(page, tab(id))
        await page.getByText('Held by the guard').first().waitFor()
        await page.getByText('Tags: tester').waitFor()
        await page.getByRole('table').getByText('Rolled back').waitFor()
      },
      'a new one': async (page) => {
        await button(page, 'Release a version').click()
        await dialog(page).getByLabel('Share in percent').fill('101')
        await button(page, 'Release').click()
        await dialog(page).getByText('Enter a whole number').waitFor()
      },
      'a lower share': async (page) => {
        await discard(page)
        await button(page, 'Change share: Version 5 on beta').click()
        await dialog(page).getByLabel('Share in percent').fill('10')
        await dialog(page).getByText('Some customers get').waitFor()
      },
      'a channel in its form': async (page) => {
        await discard(page)
        await button(page, 'Edit beta').click()
        await dialog(page).getByLabel('Testers').waitFor()
      },
      'one that was rolled back': async (page) => {
        await cancel(page)
        await page.getByRole('table').getByRole('button', { name: 'Version 3' }).click()
        await dialog(page).getByRole('list', { name: 'Affected executors' }).waitFor()
      },
      'that cannot be loaded': async (page) => {
        await button(page, 'Close').click()
        await page.route(/\/(releases|channels)/, (route) => route.abort())
        await goTo(page, tab(empty))
        await page.reload()
        await page.getByRole('button', { name: 'Try again' }).nth(2).waitFor()
        await page.unrouteAll()
      },
    },
  }
}

const sessions: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  const script_id = await createScript(owner, project, { options: { preset: 'light' } })
  const user_key = await createUser(owner, project)
  const now = stage.server.clock.now
  const owned = { customer_id: owner.id, project_id: project, script_id, created_at: now, last_seen: now }
  joinSession(stage.server, { ...owned, user_key, executor: 'Wave' })
  const executor = 'an executor with a long name that goes on'
  joinSession(stage.server, { ...owned, user_key: null, executor })
  return {
    account: owner.id,
    address: `#/projects/${project}/sessions`,
    states: { 'in the list': (page) => row(page, 'Wave').waitFor() },
  }
}

const webhooks: Room = async (stage) => {
  const receiver = await startReceiver(status(500, {}, 'broken'))
  const shop = 'Shop of the friends of the garden'
  const owned = await createOwner(stage.server, {}, { information_webhook: receiver.url })
  const hooks = addressesOf(owned)
  await hooks.added({
    name: shop,
    address: `${receiver.url}/with/a/path/that/is/long/enough/to/need/a/second/line/on/a/small/telephone`,
    events: ['user.created', 'user.removed', 'user.edited', 'users.generated'],
  })
  await hooks.added({ name: 'Archive', address: receiver.url, enabled: false })
  await createUser(owned.owner, owned.project)
  await deliver(stage.server)
  await receiver.close()
  const choose = async (page: Page, item: string) => {
    await page.getByRole('button', { name: `Actions for ${shop}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const cancel = (page: Page) => dialog(page).getByRole('button', { name: 'Cancel' }).click()
  const discard = async (page: Page) => {
    await cancel(page)
    await dialog(page).getByRole('button', { name: 'Discard' }).click()
  }
  return {
    account: owned.owner.id,
    address: `#/projects/${owned.project}/webhooks`,
    states: {
      'that fail': (page) => panel(page, 'Endpoints').getByText('Failing', { exact: true }).first().waitFor(),
      'an address in its form': async (page) => {
        await choose(page, 'Edit')
        await dialog(page).getByText('Events to send').waitFor()
      },
      'what is sent again': async (page) => {
        await cancel(page)
        await choose(page, 'Replay events…')
        await dialog(page).getByLabel('Since').selectOption('at')
      },
      'a delivery': async (page) => {
        await discard(page)
        const list = page.getByRole('table', { name: 'Deliveries' })
        await list.getByRole('button', { name: 'user.created' }).first().click()
        await dialog(page).getByText('broken').first().waitFor()
      },
    },
  }
}

const firstRun: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  return {
    account: owner.id,
    address: `#/projects/${project}`,
    states: {
      'before there is a script': (page) =>
        page.getByLabel('Lua or Luau file').waitFor({ state: 'attached' }),
      'that is waited for': async (page) => {
        await createScript(owner, project, { options: { preset: 'light' } })
        await createUser(owner, project)
        await page.reload()
        await page.getByText('Waiting for the first run…').waitFor()
      },
    },
  }
}

export const ROOMS_OF_SCRIPTS: Readonly<Record<string, Room>> = {
  'a project that has been running for weeks': busy,
  'the list of scripts': list,
  scripts,
  'server functions': functions,
  'reported errors': reported,
  releases,
  sessions,
  webhooks,
  'the first run': firstRun,
}
