/** Describes the forms for scripts, their versions and releases. */
import { inProject, type KeptForm, labeled, press, written } from './kept-form.ts'
import { button } from './users-steps.ts'

const script = (tab: string) => inProject(`scripts/:script?tab=${tab}`)

export const SCRIPT_FORMS: Readonly<Record<string, KeptForm>> = {
  'first-script': {
    address: ({ empty }) => `#/projects/${empty}`,
    async open(page) {
      const details = page.locator('details', { hasText: 'Paste source code instead' })
      if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
    },
    field: labeled('Source code'),
    typed: 'print("typed")',
  },
  'new-script': {
    address: inProject('scripts?new=script'),
    field: written('Source'),
    typed: 'print("typed")',
  },
  'new-version': { address: script('new'), field: written('Source'), typed: 'print("typed")' },
  'script-settings': { address: script('settings'), field: labeled('Name'), typed: 'Renamed' },
  'error-lookup': {
    address: script('errors'),
    field: labeled('Error or traceback'),
    typed: 'Greeter:3: oops',
  },
  trace: { address: script('trace'), field: written('Leaked copy'), typed: 'return "leaked"' },
  'executor-rules': {
    address: script('executors'),
    async open(page) {
      const form = page.locator('[data-form="executor-rules"]')
      await form.waitFor()
      if ((await form.getByLabel('Versions').count()) === 0) await button(page, 'Add a rule').click()
    },
    field: labeled('Versions'),
    typed: '1.2, 1.3',
  },
  'new-function': {
    address: script('functions&new=function'),
    field: labeled('Name'),
    typed: 'price',
  },
  function: {
    address: script('functions&function=price'),
    field: written('Function source'),
    typed: 'return 1',
  },
  'function-call': { address: script('functions&function=price'), field: labeled('Values'), typed: '[4]' },
  'release-notes': {
    address: script('versions'),
    async open(page) {
      await page
        .getByRole('button', { name: /^Actions for version/i })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Edit notes' }).click()
    },
    field: labeled('Release notes'),
    typed: 'Faster.',
  },
  release: {
    address: script('releases'),
    open: press('Release a version'),
    field: labeled('Share in percent'),
    typed: '7',
  },
  'release-change': {
    address: script('releases'),
    open: (page) => page.getByRole('button', { name: /^Change share/ }).click(),
    field: labeled('Share in percent'),
    typed: '7',
  },
  channel: { address: script('releases'), open: press('Add channel'), field: labeled('Name'), typed: 'beta' },
}
