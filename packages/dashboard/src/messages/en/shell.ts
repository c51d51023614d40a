/**
 * Messages for the app shell, its error pages, and errors that any page may show. Every visit downloads them.
 */

export const show = 'Show'
export const hide = 'Hide'
export const menu = 'Menu'
export const skip = 'Skip to content'
export const justNow = 'just now'
export const pages = 'Pages'
export const notProved = "Nothing was changed: you didn't confirm your identity."
export const needsTitle = "You don't have access to this page"
export const needs = (right: string, description: string) =>
  `Requires the “${description}” permission (${right}).`
export const needsPlain = (what: string) => `Requires the ${what} permission.`
export const whoGives = (account: string) => `Ask an owner or admin of ${account}.`
export const unknownTitle = 'Page not found'
export const unknownIntro = 'Check the URL for typos. The page may have moved.'
export const goProjects = 'Go to projects'
export const awayTitle = "Can't reach the server"
export const noAccountTitle = "You're not a member of any account"
export const noAccountIntro =
  'Ask an account owner to invite you. Until then, you can only edit your profile.'
export const accountGroup = 'Account'
export const youGroup = 'You'
export const switchAccount = 'Account'
export const profile = 'Profile'
export const account = 'Account'
export const accountPages = {
  apiAccess: 'API access',
  apiAccessIntro: "This account's API key, and legacy URLs that contain it. For tools, use tokens instead.",
  usage: 'Usage and limits',
  usageIntro: "This account's usage in the last 30 days, and the API limits.",
  tier: 'Billing tier',
  tierIntro: "This account's service tier, how much of it is used, and the other tiers on this server.",
  danger: 'Danger zone',
  dangerIntro: "Actions that you can't undo yourself.",
} as const
export const tokens = 'Tokens'
export const members = 'Members'
export const audit = 'Audit log'
export const mustAddTitle = 'Set up two-factor authentication'
export const mustAdd = 'Required on this server. It protects your account even if your password is stolen.'
export const addNow = 'Set up now'
export const passkeyFailed =
  "Couldn't use a passkey. The request was canceled or timed out, or this device has no passkey for this site."
export const passkeyKnown =
  'This device already has a passkey for your login. Use another device or security key.'
export const roleNames = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  support: 'Support',
  reader: 'Reader',
  reseller: 'Reseller',
  custom: 'Custom',
} as Readonly<Record<string, string>>
