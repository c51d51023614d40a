/** Messages for signing in, profiles, accounts, tokens, team members and the audit log. */
import { number } from '../../lib/format.ts'

const PASSWORD_HINT = 'At least 12 characters. A few random words are easy to remember and hard to guess.'

export const email = 'Email'
export const password = 'Password'
export const newPassword = 'New password'
export const passwordHint = PASSWORD_HINT
export const yourName = 'Your name'
export const yourNameHint = 'Shown to your team and in the audit log.'
export const cancel = 'Cancel'
export const save = 'Save'
export const saved = 'Saved'
export const edit = 'Edit'
export const done = 'Done'
const continueWord = 'Continue'
export const here = 'This browser'

export const signInTitle = 'Sign in to Scriptward'
export const signInAgain = 'Your session expired. Sign in to pick up where you left off.'
export const signInWith = 'Sign in with a passkey'
export const or = 'or'
export const forgot = 'Forgot your password?'
export const noAccount = 'No account yet?'
export const signUp = 'Sign up'
export const haveAccount = 'Back to sign-in'
export const tryPlayground = 'Try the obfuscator without an account'
export const helpWithSignIn =
  "First time here? Open the setup link from the server's console. To create a new one, run"
export const setupCommand = 'scriptward admin setup-link'

export const codeTitle = 'Two-factor authentication'
export const code = 'Code'
export const codeIntro = 'Enter the 6-digit code from your authenticator app.'
export const recoveryIntro = 'Enter one of your backup codes. Each works once.'
export const recoveryCode = 'Backup code'
export const useRecovery = 'Use a backup code instead'
export const useApp = 'Use your authenticator app instead'
export const verify = 'Verify'
export const startOver = 'Start over'

export const proveTitle = "Confirm it's you"
export const proveIntro =
  'This changes access or sign-in settings. For security, confirm your identity again.'
export const proveByCode = 'Use a code from your authenticator app'
export const proveByPassword = 'Use your password'
export const proveByPasskey = 'Use a passkey'
export const confirmIt = 'Confirm'

export const setUpTitle = 'Set up your account'
export const setUpFor = (account: string) => `This link makes you an owner of ${account}.`
export const setUpEmail =
  "You'll sign in with this address. We only email it if mail is configured on this server."
export const howToSignIn = 'How do you want to sign in?'
export const withPassword = 'With a password'
export const withPasskey = 'With a passkey'
export const passkeyHint =
  'Use your fingerprint, face, PIN or a security key. There is no password to remember or steal.'
export const createAccount = 'Create account'
export const createPasskey = 'Create a passkey'
export const linkTitle = 'This link has expired'
export const linkSetUp =
  'Setup links expire after 30 minutes and work once. An operator can create a new one with'
export const linkReset = 'Password reset links expire after 30 minutes and work once. Request a new one.'
export const linkInvitation =
  'Invitations expire after 7 days and work once. Ask whoever invited you for a new one.'
export const linkObjection =
  'Links that restore the owner role expire after 7 days and work once. An operator can create a new one.'
export const linkConfirm =
  'Confirmation links expire after 30 minutes and work once. If you already used yours, sign in. Otherwise, sign up again.'
export const linkMissing = 'This link is incomplete. Copy the full URL and try again.'
export const goSignIn = 'Go to sign-in'

export const resetTitle = 'Reset your password'
export const resetIntro = "We'll email you a one-time link that expires in 30 minutes."
export const resetNoMail = "Email isn't set up on this server. An operator can create a reset link with"
export const resetCommand = 'scriptward admin people reset <email>'
export const sendLink = 'Send link'
export const resetSent = (email: string) =>
  `If there's an account for ${email}, we've sent a link. Check your inbox and spam folder.`
export const newPasswordTitle = 'Choose a new password'
export const newPasswordIntro = 'This signs you out everywhere else.'
export const changeAndSignIn = 'Save and sign in'

export const invitationTitle = (account: string) => `Join ${account}`
export const invitedAs = (by: string, role: string) => `${by} invited you to join as ${role}.`
export const invitationHasPerson = (email: string) =>
  `You already have a login for ${email}. Joining adds this account to that login.`
export const invitationNewPerson = (email: string) => `Create a login for ${email}.`
export const invitationForAnother = (mine: string, theirs: string) =>
  `You're signed in as ${mine}, but this invitation is for ${theirs}. Sign out to accept it.`
export const signOutHere = 'Sign out'
export const join = 'Join'
export const joinWith = 'Sign in with a passkey and join'

export const signUpTitle = 'Sign up'
export const signUpOff = 'Sign-up is turned off on this server. Ask an account owner to invite you.'
export const signUpSent = (email: string) =>
  `We sent a one-time link to ${email}. Open it within 30 minutes to finish signing up.`
export const signUpWorking = "Confirming you're human…"
export const captchaOpen = "Confirm you're human"
export const captchaIntro = "You'll be redirected to another page, then back here."
export const captchaSolved = "Thanks, you've confirmed you're human."
export const confirmTitle = 'Confirm your email'
export const confirmIntro = 'One click and your account is ready.'
export const objectionTitle = 'Restore your owner role'
export const objectionIntro = (account: string) =>
  `Your owner role in ${account} was removed. You can restore it here. Nothing else changes, and nobody can remove you for the next 7 days.`
export const objectionSubmit = 'Restore my owner role'

export const ownerOnly = 'Only owners can do this.'

export const profileTitle = 'Profile'
export const aboutYou = 'About you'
export const changeEmail = 'Change email'
export const emailHint = 'Used to sign in.'
export const emailChangeHint = "You'll sign in with the new address. We'll notify the old one."
export const passwordTitle = 'Password'
export const hasPassword = 'Changing your password signs you out everywhere else.'
export const hasNoPassword = "You sign in with a passkey and don't have a password."
export const changePassword = 'Change password'
export const setPassword = 'Set a password'
export const passwordChanged = 'Password changed. You were signed out everywhere else.'
export const passwordWrite = 'This signs you out of all other browsers.'

export const factorTitle = 'Two-factor authentication'
export const factorOff = "Off. When on, you'll also need a code from an authenticator app to sign in."
export const factorOn =
  "On. You'll need a code from your authenticator app when you sign in with your password."
export const on = 'On'
export const off = 'Off'
export const addFactor = 'Add an authenticator app'
export const scanTitle = 'Add an authenticator app'
export const scan = 'Scan this QR code with an authenticator app such as Aegis, 2FAS or Google Authenticator.'
export const qrLabel = 'QR code for your authenticator app. The key below is equivalent.'
export const orType = 'Or enter this key in the app:'
export const thenCode = 'Code from the app'
export const turnOn = 'Turn on'
export const removeFactor = 'Turn off'
export const removeFactorTitle = 'Turn off two-factor authentication?'
export const removeFactorText = "You'll sign in with just your password. Your backup codes stop working too."
export const codesTitle = 'Your backup codes'
export const codesIntro =
  "If you lose your phone, use one of these instead of a code from the app. Each works once. Save them in your password manager: you won't see them again."
export const codesSaved = "I've saved them"
export const copyAll = 'Copy all'
export const codesFile = (email: string, host: string) => `Scriptward backup codes for ${email} at ${host}`
export const newCodesTitle = 'Generate new backup codes?'
export const newCodesText = 'Your current codes will stop working.'
export const fewCodes = 'Generate new ones before you run out.'
export const codesLeft = (count: number) =>
  count === 1 ? '1 backup code left.' : `${number(count)} backup codes left.`
export const newCodes = 'Generate new codes'
export const download = 'Download'
export const print = 'Print'

export const passkeysTitle = 'Passkeys'
export const noPasskeys =
  'No passkeys yet. Use your fingerprint, face or PIN to sign in without a password or code.'
export const addPasskey = 'Add a passkey'
export const passkeyName = 'Passkey name'
export const passkeyNameHint = 'Helps you tell your passkeys apart. For example, “Laptop”.'
export const rename = 'Rename'
export const removePasskeyTitle = (name: string) => `Remove the “${name}” passkey?`
export const removePasskeyText = "You won't be able to sign in with it. Remove it from your device too."
export const noPasskeySupport =
  "This browser or URL doesn't support passkeys. They require HTTPS or localhost."
export const renamePasskeyTitle = (name: string) => `Rename “${name}”`
export const passkeyNext = 'Next, your browser will ask for your fingerprint, face, PIN or security key.'
export const itsName = (action: string, name: string) => `${action} “${name}”`
export const added = (when: string) => `added ${when}`
export const lastUsed = (when: string) => `last used ${when}`
export const neverUsed = 'never used'

export const signInsTitle = 'Dashboard sessions'
export const signInsIntro = 'Sessions expire after 12 hours of inactivity.'
export const endOne = 'Sign out'
export const endOthers = 'Sign out everywhere else'
export const unknownBrowser = 'Unknown browser'
export const otherProgram = 'Another program'
export const browserOn = (browser: string, system: string) => `${browser} on ${system}`
export const signedInAt = (when: string) => `signed in ${when}`
export const fromNetwork = (network: string) => `from ${network}`
export const onlyHere = "You aren't signed in anywhere else."
export const endedOthers = 'You were signed out everywhere else.'

export const aboutAccount = 'About this account'
export const planNever = 'Never'
export const planEnded = (when: string) => `Expired ${when}`
export const usedOf = (used: number, limit: number) => `${number(used)} of ${number(limit)}`
export const created = 'Created'
export const planEnd = 'Expires'
export const builds = 'Obfuscations this month'
export const builtAs = (left: number) => `plus ${number(left)} bonus`
export const keyTitle = 'API key'
export const keyIntro =
  "Full access to this account. Prefer tokens with limited permissions. The key can't be viewed again, only replaced."
export const replaceKey = 'Replace API key'
export const replaceTitle = 'Replace the API key?'
export const replaceText = "You'll see the new key once. How long should the old key keep working?"
export const overlap = 'The old credential stops working'
export const overlaps = [
  [0, 'immediately'],
  [3_600_000, 'in 1 hour'],
  [21_600_000, 'in 6 hours'],
  [86_400_000, 'in 24 hours'],
] as readonly (readonly [number, string])[]
export const replace = 'Replace'
export const keyWaits =
  'The API key was replaced through the API. The new key is stored encrypted and can be viewed once.'
export const takeKey = 'Show new key'
export const newKeyTitle = 'Your new API key'
export const shownOnce = "Copy it now. You won't be able to see it again."
export const pathTitle = 'Legacy URLs containing the API key'
export const pathIntro =
  'URLs under /customers/<key> contain the API key, which can end up in logs. Turn these off once none of your tools use them.'
export const pathOpen = 'On'
export const pathClosed = 'Off'
export const pathUsed = (when: string) => `Last used ${when}.`
export const pathNeverUsed = 'Never used.'
export const closePath = 'Turn off legacy URLs'
export const openPath = 'Turn on legacy URLs'
export const closePathTitle = 'Turn off legacy URLs?'
export const closePathText =
  'Tools that still use them stop working immediately. You can turn the URLs back on here.'
export const newKeyHint = "Copy it now and update your tools. You won't be able to see it again."
export const oldKeyUntil = (when: string) => `The old key works until ${when}.`
export const oldKeyEnded = 'The old key no longer works.'
export const leaveTitle = 'Leave this account'
export const leaveText = "You'll lose access. To come back, you'll need a new invitation."
export const leave = 'Leave'
export const soleOwner = "You're the only owner. Make another member an owner first."
export const leaveAsk = (account: string) => `Leave ${account}?`
export const plan = 'Service tier'
export const ownTier = 'Your tier'
export const accountMail = 'Account email'
export const yourRole = 'Your role'

export const tokensTitle = 'Tokens'
export const tokensIntro =
  "For tools that don't need full access to the account, such as a CI pipeline, a bot or a shop."
export const noTokens = 'No tokens yet'
export const noTokensHint =
  'Create one for each tool. If a token leaks, you can revoke it without affecting the others.'
export const newToken = 'New token'
export const tokenName = 'Name'
export const tokenNameHint = 'The tool that uses it. For example, “Website CI”.'
export const rights = 'Permissions'
export const noRights = 'Choose at least one permission.'
export const projectsOf = 'Projects'
export const allProjects = 'All projects'
export const someProjects = 'Selected projects'
export const chooseProject = 'Choose at least one project.'
export const networks = 'Networks'
export const networksHint =
  'One IP address or network per line, such as 192.0.2.7 or 198.51.100.0/24. Leave empty to allow any.'
export const anyNetwork = 'any network'
export const expiry = 'Expires'
export const expiries = [
  [30, 'in 30 days'],
  [90, 'in 90 days'],
  [365, 'in 1 year'],
  [0, 'never'],
] as readonly (readonly [number, string])[]
export const createToken = 'Create token'
export const tokenMade = 'Token created'
export const tokenRotated = 'New secret'
export const rotate = 'Rotate'
export const rotateTitle = (name: string) => `Rotate “${name}”?`
export const rotateText = 'This creates a new secret. How long should the old one keep working?'
export const revoke = 'Revoke'
export const revokeTitle = (name: string) => `Revoke “${name}”?`
export const revokeText = "The token stops working immediately. This can't be undone."
export const expired = 'Expired'
export const active = 'Active'
export const rotating = (when: string) => `Old secret works until ${when}`
export const expiredAt = 'expired'
export const editToken = (name: string) => `Edit “${name}”`
export const moreOf = (shown: number, total: number) => `${number(shown)} of ${number(total)}`

export const membersTitle = 'Members'
export const membersIntro = 'Your team. Each member has their own login and only the permissions they need.'
export const invite = 'Invite a team member'
export const inviteTitle = 'Invite a team member'
export const inviteHint = "They'll get a one-time link that expires in 7 days."
export const role = 'Role'
export const roleTexts = {
  owner: "Full access, including adding and removing owners. The last owner can't leave.",
  admin: 'Full access, except adding and removing owners.',
  developer:
    'Manages projects, scripts (including source), sessions and webhooks. Views everything else except the audit log.',
  support:
    'Helps customers: edits and resets their keys, ends sessions, views scripts. No source code, no bulk changes.',
  reader: 'Read-only access to everything except source code, tokens and the audit log.',
  reseller: 'Creates keys in one project, up to a limit. Sees only their own keys.',
  custom: 'Only the permissions you choose.',
} as Readonly<Record<string, string>>
export const maxKeys = 'Key limit'
export const oneProject = 'Choose one project.'
export const sendInvitation = 'Create invitation'
export const invitationMade = 'Invitation created'
export const invitationMailed = (email: string) =>
  `We emailed the link to ${email}. You can also copy it now and send it yourself. It won't be shown again.`
export const invitationByHand = (email: string) =>
  `Email isn't set up on this server. Copy this link and send it to ${email} yourself. It won't be shown again.`
export const you = 'You'
export const lastSignIn = (when: string) => `last sign-in ${when}`
export const noSignIn = 'never signed in'
export const hasFactor = '2FA'
export const hasNoFactor = 'No 2FA'
export const invitations = 'Pending invitations'
export const invitedBy = (who: string) => `invited by ${who}`
export const withdraw = 'Withdraw'
export const editMember = (name: string) => `Edit ${name}`
export const removeMemberTitle = (name: string) => `Remove ${name}?`
export const removeMemberText =
  'They lose access immediately and are signed out of this account. Their tokens and invitations stop working; the projects, scripts and users they created are kept.'
export const projectCount = (count: number) => (count === 1 ? '1 project' : `${number(count)} projects`)
export const aloneTitle = "You're the only member"
export const aloneHint =
  'Invite people who help you instead of sharing your API key. You choose their permissions, and the audit log shows who did what.'

export const auditTitle = 'Audit log'
export const auditIntro =
  'Every change to this account and who made it. Entries are hash-chained, so tampering is detectable.'
export const noEntries = 'No entries'
export const noEntriesHint = 'Nothing matches these filters. Remove a filter or change the dates.'
export const who = 'Who'
export const action = 'Action'
export const noun = 'Resource ID'
export const from = 'From'
export const to = 'To'
export const clearFilters = 'Clear filters'
export const exportCsv = 'Export as CSV'
export const before = 'Before'
export const after = 'After'
export const time = 'Time'
export const network = 'Network'
export const technicalDetails = 'Technical details'
export const request = 'Request'
export const entryHash = 'Hash'
export const entryNumber = 'Number'
export const nouns = 'Affected'
export const changesTitle = 'Changes'
export const rows = (count: number) => (count === 1 ? '1 item' : `${number(count)} items`)
export const apiKeyActor = 'The API key'
export const commandLine = 'Operator (command line)'
export const job = 'A background job'
export const nothing = 'none'
export const everything = 'all'
export const anyValue = 'any'
export { continueWord as continue }

/** Messages for the page that grants a token to the command line. */
export const commandLineText = {
  title: 'Authorize the command line?',
  intro: (account: string) => `It will receive a token for ${account}.`,
  hint: 'Only continue if you just ran “scriptward login” yourself.',
  name: 'Name',
  account: 'Account',
  rights: 'Permissions',
  lacking: "Not granted, because you don't have these permissions",
  ends: 'Expires',
  never: 'When you revoke it',
  allow: 'Authorize',
  deny: 'Cancel',
  nothingLeft: "You don't have any of the permissions it requests.",
  brokenTitle: 'This link is incomplete',
  broken: 'Run “scriptward login” again and open the full URL it prints.',
  doneTitle: 'Signed in on the command line',
  done: 'You can close this tab and return to your terminal. To revoke the token, go to Tokens.',
} as const
