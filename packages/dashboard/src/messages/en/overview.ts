/** Messages for a project's overview, and for the first steps in an empty project. */
import { number, percent } from '../../lib/format.ts'

const points = (value: number) => number(Math.round(Math.abs(value) * 1000) / 10)

/** Only granted runs count as runs. Denied runs are counted separately. */
type Counts = { readonly granted: number; readonly denied: number }

function runsText(now: number, before: number, than: string): string {
  const runs = now === 1 ? '1 run' : `${number(now)} runs`
  if (before === 0) return `${runs}, none in the ${than}.`
  if (now === before) return `${runs}, as many as in the ${than}.`
  const change = percent(Math.abs(now - before) / before)
  return `${runs}, ${change} ${now > before ? 'more' : 'fewer'} than in the ${than} (${number(before)}).`
}

export const overviewText = {
  period: 'Period',
  periods: { '24h': '24 h', '7d': '7 days', '30d': '30 days' },
  periodNames: { '24h': 'previous 24 h', '7d': 'previous 7 days', '30d': 'previous 30 days' },
  runs: 'Runs',
  runningNow: 'Running now',
  newUsers: 'New users',
  deniedShare: 'Denied',
  crashFree: 'Crash-free customers',
  crashedOf: (crashed: number, customers: number) =>
    `${number(crashed)} of ${number(customers)} had a crash on live versions`,
  noCustomers: 'no runs on live versions',
  none: '–',
  up: (share: number, than: string) => `▲ ${percent(share)} vs ${than}`,
  down: (share: number, than: string) => `▼ ${percent(share)} vs ${than}`,
  same: (than: string) => `same as ${than}`,
  noneBefore: (than: string) => `none in the ${than}`,
  upCount: (count: number, than: string) => `▲ ${number(count)} vs ${than}`,
  downCount: (count: number, than: string) => `▼ ${number(count)} vs ${than}`,
  upPoints: (share: number, than: string) => `▲ ${points(share)} pp vs ${than}`,
  downPoints: (share: number, than: string) => `▼ ${points(share)} pp vs ${than}`,
  nobodyTried: 'no runs',
  liveSessions: (count: number) => (count === 1 ? '1 live session' : `${number(count)} live sessions`),
  failed: "Couldn't load this.",
  outcomes: 'Runs by outcome',
  outcomesHint: 'Click a bar to see its runs. Drag to zoom in.',
  previous: { '24h': 'Previous 24 hours', '7d': 'Previous 7 days', '30d': 'Previous 30 days' },
  reading: (now: Counts, before: Counts, than: string) => {
    const more =
      now.denied === 0 ? '' : ` ${number(now.denied)} more ${now.denied === 1 ? 'was' : 'were'} denied.`
    return `${runsText(now.granted, before.granted, than)}${more}`
  },
  noRunsHint: 'Runs appear here a few seconds after they start, whether granted or denied.',
  why: 'Denials by reason',
  whyHint: 'Click a reason to see who was affected and how to fix it.',
  nobodyDenied: 'Nobody was denied in this period.',
  users: 'Users by status',
  usersHint: 'Updated at most once a minute.',
  noUsers: 'No users yet.',
  statuses: {
    active: 'Active',
    issued: 'Handed out',
    unused: 'Unused',
    not_started: 'Not started',
    quota_spent: 'Quota used up',
    grace: 'In grace period',
    paused: 'Paused',
    expired: 'Expired',
    blacklisted: 'Blocked',
    locked: 'Locked to a network',
  },
  webhooks: 'Webhooks',
  noWebhooks: 'No endpoints yet. Add one to send runs, user changes and blocks to your own server.',
  addWebhook: 'Add an endpoint',
  webhookKinds: { execution: 'Runs', information: 'Users', blacklist: 'Blocks' },
  webhookStates: {
    untried: 'Not used yet',
    active: 'Delivering',
    failing: 'Failing',
    paused: 'Paused',
    disabled: 'Disabled',
  },
  waiting: (count: number) => `${number(count)} queued`,
  failingSince: (when: string) => `first failed ${when}`,
  quotas: 'Account limits',
  quotasHint: (tier: string) => `${tier} tier`,
  quotaProjects: 'Projects',
  quotaScripts: 'Scripts',
  quotaUsers: 'Users',
  quotaBuilds: 'Obfuscations this month',
  quotaAdUsers: 'Users from ads',
  quotaOf: (used: number, limit: number) => `${number(used)} of ${number(limit)}`,
  quotaFree: (used: number) => `${number(used)}, unlimited`,
  nearlyFull: 'almost full',
  newest: 'Recent denials',
  allDenials: 'All denials',
  noDenials: 'Nobody was denied in the last 30 days.',
  noKey: 'No key',

  setUp: {
    title: 'Your first run',
    intro: 'Three steps to your first protected run. You can leave and come back at any time.',
    skip: 'Skip to overview',
    step: (index: number) => `Step ${number(index)}`,
    isDone: 'Done',
    scriptTitle: 'Protect a script',
    scriptHint: 'Drop a Lua or Luau file. It will be protected with the Strong preset.',
    drop: 'Drop a Lua or Luau file here, or',
    choose: 'choose a file',
    fileLabel: 'Lua or Luau file',
    paste: 'Paste source code instead',
    pasteLabel: 'Source code',
    pasteHint: "Lua 5.1, LuaJIT or Luau, up to your account's size limit.",
    pasteEmpty: "Paste your script's source code.",
    protect: 'Protect script',
    protecting: (name: string) => `Protecting ${name}…`,
    pasted: 'script.lua',
    tooMany: 'Drop a single file. You can upload more later.',
    tryAgain: 'Try again',
    protected: (name: string) => `${name} is protected.`,
    openScript: 'Open script',
    keyTitle: 'Create your first key',
    keyHint: 'A key lets one customer run your scripts. Create the first one for yourself.',
    note: 'Name or note',
    noteHint: 'Scripts can read it as ward.note.',
    noteUsual: 'First key',
    makeKey: 'Create key',
    keyWaits: 'Protect a script first.',
    keyMade: 'Your first key',
    runTitle: 'Run it',
    runHint:
      'Paste one of these snippets where your script runs. The run shows up here as soon as it starts.',
    runWaits: 'Create a key first.',
    waiting: 'Waiting for the first run…',
    arrived: 'Your script ran.',
    arrivedOn: (executor: string) => `Granted on ${executor}.`,
    arrivedHint: 'Your stats will show up here from now on.',
    toOverview: 'Go to overview',
    moreKeys: 'Generate more keys',
    deniedTitle: (reason: string) => `A run was denied: ${reason}`,
    stillWaiting: 'Still waiting. Fix the problem, then run the script again.',
    seeDenials: 'View all denials',
  },
} as const
