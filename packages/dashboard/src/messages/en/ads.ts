/** Messages for ad systems: visitors complete ad steps and earn temporary keys. */
import { number } from '../../lib/format.ts'

export const adsText = {
  intro: 'Visitors complete ad steps and earn a temporary key.',
  newSystem: 'New ad system',
  noSystems: 'No ad systems yet',
  noSystemsHint:
    'An ad system is a page you share. Visitors go through links on ad networks such as Linkvertise, LootLabs or Work.ink, and get a key at the end. You earn ad revenue, and they run your scripts for free.',
  systems: 'Ad systems',
  keysEarned: (count: number) => (count === 1 ? '1 key earned' : `${number(count)} keys earned`),
  completions: (count: number) => (count === 1 ? '1 visit completed' : `${number(count)} visits completed`),
  steps: (count: number) =>
    count === 0 ? 'no steps yet' : count === 1 ? '1 step' : `${number(count)} steps`,
  keyLasts: (duration: string) => `keys last ${duration}`,
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  removeOf: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeWords: (steps: number) =>
    `Its page and its ${steps === 1 ? 'step' : `${number(steps)} steps`} are removed. Keys already earned are kept.`,
  removed: 'Ad system removed.',
  save: 'Save',
  create: 'Create',
  saved: 'Saved.',

  name: 'Name',
  nameHint: 'Shown to visitors at the top of the page.',
  nameMissing: 'Enter a name of 1 to 100 characters.',
  keyDuration: 'Key duration',
  keyDurationHint: 'Each extension adds the same amount.',
  maxDuration: 'Maximum duration',
  maxDurationHint: 'How far into the future a key can be extended.',
  numberMissing: 'Enter a number greater than 0.',
  tooShort: 'Enter a duration at least as long as the key duration.',
  maxKeys: 'Maximum keys per visitor',
  maxKeysWrong: 'Enter a whole number from 1 to 100.',
  allowExtending: 'Let visitors extend their key',
  allowExtendingHint: 'Returning visitors extend their key instead of getting a new one.',
  project: 'Project',
  projectHint: 'Keys already earned stay in their current project.',

  back: 'All ad systems',
  openPage: 'Open page',
  figures: 'Stats',
  completedVisits: 'Visits completed',
  keys: 'Keys earned',
  stepCount: 'Steps',
  keyTime: 'Key duration',

  page: 'Your page',
  pageHint: 'Share this URL where your customers can find it.',
  ownAddress: 'Custom URL',
  ownAddressHint:
    '3 to 32 letters, digits and hyphens. When you change it, the old custom URL stops working.',
  ownAddressWrong: 'Use 3 to 32 letters, digits and hyphens. Some words are reserved.',
  ownAddressTaken: 'Another ad system already uses this URL. Choose a different one.',
  takeAway: 'Remove',

  checkpoints: 'Steps',
  checkpointsHint:
    'Visitors complete them in this order. Drag steps by their handles or use the arrows to reorder them.',
  addCheckpoint: 'Add step',
  noCheckpoints: 'No steps yet',
  noCheckpointsHint:
    'Add at least one step so visitors can earn a key. A step is a link on an ad network such as Linkvertise, LootLabs or Work.ink.',
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  moved: (name: string, place: number) => `${name} is now step ${number(place)}.`,
  passed: (completed: number, started: number) => `${number(completed)} of ${number(started)} completed`,
  whileDown: (name: string) => `fallback: ${name}`,
  addressesOf: (name: string) => `URLs for ${name}`,
  addresses: 'URLs',
  removeStepTitle: (name: string) => `Remove step ${name}?`,
  removeStepWords: "Visitors won't have to complete it anymore. Also remove its link on the ad network.",
  stepRemoved: 'Step removed.',
  stepAdded: 'Step added. A simulated visitor is testing it.',

  newStep: 'New step',
  editStep: (name: string) => `Edit step ${name}`,
  provider: 'Ad network',
  networkHints: {
    provider_a: 'Confirms each visit with a one-time code. You need your publisher token.',
    provider_b: 'Reports completed visits to your server. You need your API token.',
    provider_c: 'Confirms each visit with a token. You need the ID of your link.',
    other: "Set up by this server's operator.",
  },
  networkCreatesLinks: 'Creates the link for you.',
  networkOff: 'Turned off on this server.',
  networkMissing: 'Choose an ad network.',
  accountAt: (network: string) => `Your ${network} account`,
  advanced: 'Advanced settings',
  linkAt: (network: string) => `Link on ${network}`,
  adTier: 'Ads',
  adTiers: { 1: 'Recommendations only', 2: 'Gaming offers', 3: 'Highest revenue' },
  tasks: 'Ads per visit',
  createLink: (network: string) => `Create link on ${network}`,
  creatingLink: 'Creating…',
  linkCreated: (network: string) => `Link created on ${network}. Now paste the postback URL there.`,
  atProviderHints: {
    provider_a: (network: string) => `On ${network}, create a link with this URL as its destination.`,
    provider_b: (network: string) =>
      `On ${network}, set this URL as the postback URL. The link's destination is set automatically for each visitor.`,
    provider_c: (network: string) =>
      `On ${network}, create a link with this URL as its destination, including the token at the end.`,
  },
  callback: 'Destination URL',
  postback: 'Postback URL',
  expires: (when: string) => `Reserved for you; expires ${when}.`,
  here: 'For your visitors',
  stepName: 'Name',
  stepNameHint: 'Shown to visitors. Example: “Read an article”.',
  link: 'Link',
  linkHint: (network: string) => `The link that ${network} gives you.`,
  linkMissing: 'Paste the link from the ad network.',
  thousand: 'Value per 1,000 visits',
  thousandHint:
    'What the network pays you, such as 4.50. Used to estimate your revenue. Leave empty if unknown.',
  thousandWrong: 'Enter an amount from 0 to 100,000, such as 4.50.',
  perThousand: (value: string) => `${value} per 1,000 visits`,
  isRequired: 'This field is required.',
  secretMissing: 'Enter the postback secret, or turn on “Accept unsigned postbacks”.',
  secretKept: 'Enter a new value only to replace the saved one.',
  fallback: 'If the network is down',
  noFallback: 'Visitors wait',
  newPostback: 'Changing the network creates a new postback URL. It appears here after you save.',
  checkIps: { off: "Don't compare", prefix: 'Same network', exact: 'Exact match' },
  changedMeanwhile: 'Someone else edited this. Saving will overwrite their changes.',

  test: 'Test',
  testHint: 'A simulated visitor goes through all steps. Nothing is counted.',
  runTest: 'Run test',
  testAgain: 'Run again',
  testing: 'Testing…',
  testPassed:
    "All checks passed. A test can't watch ads, so complete the steps yourself once before you share the page.",
  testFailed: 'Visitors would get stuck. Fix the failed checks below.',
  testStep: (step: string, network: string) => `${step} (${network})`,
  testKey: 'Key',
  testKeyPassed: 'A visitor who completes all steps gets a key.',
  testSkipped: 'Skipped because of the problem above.',
  testResults: { passed: 'Passed', warning: 'Warning', failed: 'Failed', skipped: 'Skipped' },
  testChecks: {
    link: (network: string) => `The link belongs to ${network}.`,
    departure: (network: string) => `Visitors are sent to ${network}.`,
    bypass: () => 'Someone who skips the ads is rejected.',
  },
  testReasons: {
    provider_disabled: (network: string) =>
      `${network} is turned off on this server. Ask the operator, or choose another network.`,
    link_not_allowed: (network: string) =>
      `This isn't a ${network} link. Edit the step and paste the link that ${network} shows you.`,
    provider_down: (network: string) =>
      `${network} isn't responding. Try again in a minute. Meanwhile, visitors see an error message.`,
    settings_rejected: (network: string) =>
      `${network} rejected your token. Copy it again from your ${network} account.`,
    accepts_forged_tokens: (network: string) =>
      `${network} confirmed a visit that never happened. Check your account settings there.`,
    no_postback: () => 'Visitors can skip the ads: “Require postback” is off.',
    unsigned_postbacks: () =>
      "Postbacks are unsigned: anyone who learns the postback URL can confirm their own visits. Enter it only on the network's site.",
    shared_destination: () =>
      'Visitors can pass the return URL on to others: “Separate destination per visitor” is off.',
    tokens_kept: () => 'A token may work more than once: “Delete used tokens” is off.',
    no_steps: () => 'Add a step: without one, visitors see that the page is unavailable.',
    account_expired: () => 'Your account has expired, so visitors get no keys.',
    account_full: () => "Your service tier doesn't allow more keys from ads.",
  },

  networks: 'Ad networks',
  networksHint:
    'Counted since the ad system was created. A visitor who returns too soon, with a forged or used token, or from another IP address counts as a bypass attempt.',
  bypasses: 'Bypass attempts',
  bypassShare: 'Bypass rate',
  value: 'Estimated value',
  allOf: (network: string) => `All steps on ${network}`,

  warnings: 'Needs attention',
  warnUnsigned: (name: string) =>
    `${name} accepts unsigned postbacks: anyone who learns its postback URL can confirm their own visits. Set a postback secret if the network supports signing.`,
  warnNoPostback: (name: string) =>
    `${name} doesn't wait for the postback: visitors who know the return URL can skip the ad. Keep “Require postback” on.`,
  warnShared: (name: string) =>
    `${name} sends every visitor to the same destination, so one visitor can pass the return URL on to others. Turn on “Separate destination per visitor”.`,
  warnReused: (name: string) =>
    `${name} keeps used tokens, so the network may accept a token more than once. Turn on “Delete used tokens”.`,
  warnAnyAddress: (name: string) =>
    `${name} doesn't compare IP addresses: visits can be confirmed from another IP address.`,
  warnNobody: (name: string, started: number) =>
    `${number(started)} visitors started ${name}, and none were confirmed. The destination URL is probably on the wrong link, or the token belongs to another account.`,

  funnel: 'Funnel',
  funnelHint: 'Counted since the ad system was created.',
  noFunnel: 'No visitors yet',
  noFunnelHint: 'Share the page URL to see how visitors move through the steps.',
  byDay: 'Visitors by day',
  byDayHint: 'Days are in UTC.',
  byDayOf: (name: string) => `Visitors by day: ${name}`,
  nobodyCame: 'No visitors in this period. Choose a longer one, or share the page URL.',
  wholeWay: 'All steps',
  finished: 'Claimed a key',
  newKeys: 'New keys',
  started: 'Started',
  completed: 'Completed',
  share: 'Completion rate',
  median: 'Median time',
  refused: 'Rejected',
  step: 'Step',
  began: (name: string) => `${name}: started`,
  didPass: (name: string) => `${name}: completed`,
  reasons: {
    too_fast: 'too fast',
    not_verified: 'not confirmed',
    not_confirmed: 'confirmed too late',
    other_address: 'different IP address',
    provider_down: 'network down',
    misconfigured: 'settings rejected',
    attempt_expired: 'took too long',
    step_changed: 'step changed',
  } as Readonly<Record<string, string>>,

  preview: 'Preview',
  previewHint:
    'The first page that visitors see. The name, logo, color and links come from the project branding.',
} as const
