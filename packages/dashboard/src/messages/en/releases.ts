/** Messages for releases of a script's versions, and for its channels. */
import { number, percent } from '../../lib/format.ts'

const version = (n: number) => `version ${number(n)}`
const customers = (count: number) => (count === 1 ? '1 customer' : `${number(count)} customers`)
/** Smallest probability to display. Smaller values would be rounded to zero. */
const MIN_CHANCE = 0.001

export const releasesText = {
  tab: 'Releases',
  title: 'Open releases',
  intro:
    'A new version goes to some customers first. Once 50 customers have run each version, the guard stops the release if the new version fails more often.',
  script: 'Script',
  noneOpen: 'No open releases',
  noneOpenHint:
    "Everyone gets their channel's version. To release to a share of customers first, upload a version, or release one on the script's page.",
  none: "No release is open. Everyone gets their channel's version.",
  start: 'Release a version',
  oneVersion: 'This script has only one version. Upload another version first.',
  versionOn: (n: number, channel: string) => `Version ${number(n)} on ${channel}`,
  states: {
    running: 'Running',
    paused: 'Paused',
    held: 'Held by the guard',
    completed: 'Completed',
    rolled_back: 'Rolled back',
    rolled_back_by_guard: 'Rolled back by the guard',
    replaced: 'Replaced',
  },
  started: 'Started',
  ended: 'Ended',
  next: (share: number) => `Next: ${percent(share / 100)} on`,
  completes: 'Completes on',
  stays: (share: number) => `Stays at ${percent(share / 100)} until you change it`,
  stopped: (share: number) => `Stays at ${percent(share / 100)} until you continue`,
  guardIs: {
    roll_back: 'Guard: rolls back',
    hold: 'Guard: pauses the release',
    off: 'Guard: off',
  },
  compared: (n: number, before: number) => `Version ${number(n)} compared with ${version(before)}`,
  shareOf: (share: number) => percent(share / 100),
  ran: customers,
  noCustomers: 'No customers yet',
  healthy: (share: number) => `${percent(share)} healthy`,
  failed: (count: number) => `${number(count)} failed`,
  failedHint:
    'Customers are counted from the start of the release. A customer counts as failed if their first run of the version crashed, or was denied because of it.',
  finding: (release: { readonly version: number; readonly version_before: number }, shares: Shares) =>
    `Version ${number(release.version)} failed for ${percent(shares.failed)} of customers, compared with ${percent(shares.failed_before)} for ${version(release.version_before)} on the same executors.`,
  chance: (share: number) =>
    `By chance alone, a difference this large appears in ${share < MIN_CHANCE ? 'less than 0.1%' : percent(share)} of releases.`,
  holds: (share: number) => `The guard is holding this release at ${percent(share / 100)}.`,
  affected: 'Affected executors',
  errorsOf: (n: number) => `Errors in version ${number(n)}`,
  affectedOf: (failed: number, all: number) => `${number(failed)} of ${customers(all)} failed`,

  pause: 'Pause',
  continue: 'Continue',
  continueTitle: (n: number) => `Continue the release of version ${number(n)}?`,
  continueWords:
    'The guard found that this version fails more often. Continuing turns the guard off for this release.',
  rollBack: 'Roll back',
  rollBackTitle: (n: number) => `Roll back version ${number(n)}?`,
  rollBackWords: (before: number, channel: string) =>
    `Everyone on the ${channel} channel gets ${version(before)} from their next run.`,
  rollBackTo: (n: number) => `Roll back to version ${number(n)}`,
  everyoneGets: (n: number) => `Everyone gets ${version(n)} from their next run.`,
  runsGoOn: 'Current runs continue.',
  runsEnd: 'Current runs of the newer version end, because “End outdated runs” is on.',
  rolledBack: (before: number) => `Rolled back to version ${number(before)}.`,
  change: 'Change share',
  changeTitle: (n: number) => `Change the release of version ${number(n)}`,
  changed: 'Release changed.',
  lowered: (before: number) => `Some customers get ${version(before)} again.`,
  keepsSteps: 'If you leave this unchanged, the release keeps its current steps.',

  startTitle: 'Release a version',
  startTitleOf: (n: number) => `Release version ${number(n)}`,
  startSubmit: 'Release',
  startedToast: (n: number, share: number) =>
    share === 100
      ? `Everyone now gets version ${number(n)}.`
      : `${percent(share / 100)} of customers now get version ${number(n)}.`,
  version: 'Version',
  liveOption: (n: number) => `Version ${number(n)} (live)`,
  channel: 'Channel',
  channelOption: (name: string, n: number) => `${name} (now ${version(n)})`,
  replaces: (n: number) => `Replaces the open release of version ${number(n)} on this channel.`,
  pace: 'Who gets it',
  paces: {
    steps: ['Everyone, step by step', 'The share grows to 100%, unless the guard stops it.'],
    share: ['A share of customers', 'The share stays until you change it.'],
    all: ['Everyone at once', 'The guard still compares the two versions for 24 hours, unless it is off.'],
  },
  percent: 'Share in percent',
  percentHint: 'Customers who have the version keep it while the share grows.',
  percentWrong: 'Enter a whole number from 1 to 100.',
  over: 'Time until everyone has it',
  overHint: 'From 1 minute to 30 days.',
  overWrong: 'Enter a time from 1 minute to 30 days.',
  now: (share: number) => `${percent(share / 100)} now`,
  later: (share: number, time: string) => `${percent(share / 100)} after ${time}`,
  guard: 'If the version fails more often',
  guards: {
    roll_back: 'Restore the previous version',
    hold: 'Pause the release',
    off: 'Do nothing',
  },

  earlier: 'Earlier releases',
  status: 'Status',
  customersColumn: 'Customers',
  healthyColumn: 'Healthy',
  failedColumn: 'Failed',
  releaseTitle: (n: number, channel: string) => `Release of version ${number(n)} on ${channel}`,
  reached: 'Final share',

  channels: 'Channels',
  channelsHint:
    'A key gets the first channel that matches one of its tags, or else the first that matches its plan. The channel:beta tag always means beta.',
  addChannel: 'Add channel',
  tooMany: (count: number) => `A script can have up to ${number(count)} channels. Remove one first.`,
  everyoneElse: 'Everyone not on another channel',
  onlyNamed: (name: string) => `Only keys tagged channel:${name}`,
  tagsOf: (tags: readonly string[]) => `Tags: ${tags.join(', ')}`,
  plansOf: (plans: readonly string[]) => `Plans: ${plans.join(', ')}`,
  editChannel: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  removeOf: (name: string) => `Remove ${name}`,
  channelTitle: (name: string) => `Edit the ${name} channel`,
  name: 'Name',
  nameHint: 'Up to 32 lowercase letters, digits, hyphens and underscores.',
  nameWrong:
    'Start with a lowercase letter or digit, then use lowercase letters, digits, - and _. Up to 32 characters.',
  nameTaken: 'A channel with this name already exists.',
  versionHint: 'Changing the version ends any open release on this channel.',
  tags: 'Tags',
  tagsHint: 'Comma-separated, up to 20. Keys with one of these tags get this channel.',
  tagsWrong: 'Enter at most 20 tags of at most 64 characters each.',
  plans: 'Plans',
  plansHint: 'Keys with one of these plans get this channel, unless a tag takes precedence.',
  plansWrong: 'Choose at most 20 plans.',
  channelSaved: (name: string) => `Channel ${name} saved.`,
  channelRemoved: (name: string) => `Channel ${name} removed.`,
  removeTitle: (name: string) => `Remove the ${name} channel?`,
  removeWords: (live: number) =>
    `Its customers get ${version(live)} (stable) from their next run. Any open release on this channel ends.`,

  to: 'Release to',
  toOptions: {
    default: 'Default',
    all: 'Everyone at once',
    share: 'A share of customers',
  },
  toHints: {
    default: (isStaged: boolean) =>
      isStaged
        ? 'Step by step if the script had more than 100 customers in the last 24 hours, otherwise everyone at once.'
        : 'Everyone immediately, because “Release uploads gradually” is off.',
    all: 'The guard rolls the version back if it fails more often than the previous one.',
    share: 'The share stays the same until you change it under Releases.',
  },
  uploadedToAll: (n: number) => `Everyone now gets version ${number(n)}.`,
  uploadedToSome: (n: number, share: number) =>
    `${percent(share / 100)} of customers now get version ${number(n)}.`,
} as const

type Shares = { readonly failed: number; readonly failed_before: number }
