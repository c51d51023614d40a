/** Describes the forms for users, plans, ads and everything else in a project except scripts. */
import { menu } from './forms.ts'
import { inProject, type KeptForm, labeled, press } from './kept-form.ts'
import { button, choose } from './users-steps.ts'

export const PROJECT_FORMS: Readonly<Record<string, KeptForm>> = {
  'first-key': {
    address: ({ begun }) => `#/projects/${begun}`,
    field: labeled('Name or note'),
    typed: 'my first customer',
  },
  user: { address: inProject('users/:user?tab=edit'), field: labeled('Note'), typed: 'typed' },
  'new-key': { address: inProject('users?new=key'), field: labeled('Note'), typed: 'typed' },
  'generate-keys': { address: inProject('users?new=keys'), field: labeled('Note'), typed: 'typed' },
  import: {
    address: inProject('users?new=import'),
    field: labeled('Or paste it here'),
    typed: 'license,comment',
  },
  'all-change': { address: inProject('users?new=time'), field: labeled('Amount of time'), typed: '12' },
  'users-change': {
    address: inProject('users'),
    async open(page) {
      await choose(page, 'one')
      await button(page, 'Block').click()
    },
    field: labeled('Block reason'),
    typed: 'shared',
  },
  'filtered-change': {
    address: inProject('users?search=one'),
    async open(page) {
      await button(page, 'Bulk actions').click()
      await page.getByRole('menuitem', { name: /^Edit all/ }).click()
    },
    field: labeled('Amount of time'),
    typed: '12',
  },
  'hub-targets': {
    address: inProject('hub'),
    open: (page) => page.getByRole('button', { name: /^Edit/ }).first().click(),
    field: labeled('Places'),
    typed: '920587237',
  },
  'hub-window': {
    address: inProject('hub?tab=window'),
    field: labeled('Title'),
    typed: 'Garden Hub',
  },
  'discord-members': {
    address: inProject('users'),
    open: (page) => menu(page, 'Discord members'),
    field: labeled('Discord IDs'),
    typed: '11, 12',
  },
  'discord-staff': {
    address: inProject('discord'),
    field: labeled('Permissions'),
    typed: 'reader',
  },
  view: {
    address: inProject('users?search=one'),
    open: press('Save view'),
    field: labeled('Name'),
    typed: 'Mine',
  },
  'device-name': {
    address: inProject('users/:user?tab=devices'),
    open: press('Rename'),
    field: labeled('Name'),
    typed: 'Laptop',
  },
  plan: { address: inProject('plans?new=plan'), field: labeled('Name'), typed: 'Yearly' },
  variable: {
    address: inProject('variables'),
    open: press('New variable'),
    field: labeled('Value'),
    typed: 'typed',
  },
  announcement: {
    address: inProject('variables'),
    open: press('New announcement'),
    field: labeled('Message'),
    typed: 'Down at ten',
  },
  'ad-system': { address: inProject('ads?new=system'), field: labeled('Name'), typed: 'Day pass' },
  'ad-page': { address: inProject('ads/:system'), field: labeled('Custom URL'), typed: 'day-pass' },
  'ad-step': {
    address: inProject('ads/:system'),
    async open(page) {
      await button(page, 'Add step').first().click()
      await page.getByRole('radio').first().check()
    },
    field: labeled('Link'),
    typed: 'https://example.com/1',
  },
  'session-message': {
    address: inProject('sessions'),
    open: press('Message all'),
    field: labeled('Message name'),
    typed: 'water',
  },
  block: {
    address: inProject('bans'),
    open: press('Add block'),
    field: labeled('Reason'),
    typed: 'shared',
  },
  'block-edit': { address: inProject('bans?ban=:ban'), field: labeled('Reason'), typed: 'typed' },
  'webhook-replay': {
    address: inProject('webhooks'),
    open: (page) => page.getByRole('button', { name: /^Replay events/ }).click(),
    field: labeled('Since'),
    typed: '6',
  },
  'project-settings': {
    address: inProject('settings'),
    field: labeled('Support link'),
    typed: 'https://example.com',
  },
  branding: {
    address: inProject('settings?tab=branding'),
    field: (form) => form.getByLabel('Name', { exact: true }).first(),
    typed: 'Harbor',
  },
}
