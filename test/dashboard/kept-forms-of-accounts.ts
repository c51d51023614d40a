/** Describes the forms for dashboard users, accounts and the server. */
import { type KeptForm, labeled, press } from './kept-form.ts'

const PROFILE = () => '#/profile'

export const ACCOUNT_FORMS: Readonly<Record<string, KeptForm>> = {
  'your-name': { address: PROFILE, field: labeled('Your name'), typed: 'Ada' },
  email: {
    address: PROFILE,
    open: press('Change email'),
    field: labeled('Email'),
    typed: 'ada@example.com',
  },
  passkey: {
    address: PROFILE,
    open: press('Add a passkey'),
    field: labeled('Passkey name'),
    typed: 'Laptop',
  },
  'passkey-name': {
    address: PROFILE,
    open: (page) => page.getByRole('button', { name: /^Rename/ }).click(),
    field: labeled('Passkey name'),
    typed: 'Phone',
  },
  token: { address: () => '#/tokens?new=token', field: labeled('Name'), typed: 'Shop' },
  member: { address: () => '#/members?new=member', field: labeled('Email'), typed: 'ada@example.com' },
  project: { address: () => '#/?new=project', field: labeled('Name'), typed: 'Harbor' },
  'new-account': {
    address: () => '#/operators/customers?new=customer',
    field: labeled('Email'),
    typed: 'ada@example.com',
  },
  account: {
    address: ({ account }) => `#/operators/customers?customer=${account}`,
    field: labeled('Bonus obfuscations left'),
    typed: '77',
  },
  'account-block': {
    address: ({ account }) => `#/operators/customers?customer=${account}`,
    open: press('Block account'),
    field: labeled('Reason'),
    typed: 'chargeback',
  },
  tier: {
    address: () => '#/operators/tiers',
    open: press('New tier'),
    field: labeled('Price'),
    typed: '49',
  },
  'test-email': {
    address: () => '#/operators/system',
    open: press('Send a test email'),
    field: labeled('Recipient'),
    typed: 'ada@example.com',
  },
}
