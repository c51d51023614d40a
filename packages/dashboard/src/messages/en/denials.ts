/** Messages about denied runs: the meaning of each reason, and how to fix it. */
import { number } from '../../lib/format.ts'

export const denialsText = {
  exported: (count: number) => `${number(count)} ${count === 1 ? 'denial' : 'denials'} exported.`,
  exportedPart: (count: number) =>
    `Exported the latest ${number(count)} denials. To export the rest, choose a shorter time range.`,
  exportNone: 'There are no denials to export.',
  periods: { '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
  overTime: 'Denials over time',
  total: (count: number) => (count === 1 ? '1 denied run' : `${number(count)} denied runs`),
  commonTitle: 'Top causes',
  commonHint:
    'Click a cause to filter the list below. Counts by reason include every denial; counts by user, script and executor include only the denials listed below.',
  showAll: (count: number) => `Show all ${number(count)}`,
  noneInPeriod: 'Nobody was denied in this period.',
  denied: 'Denied',
  list: 'Recent denials',
  listHint:
    'Grouped by customer and reason. Kept for 30 days: the latest 50 per customer and the latest 200 without a key. The chart counts every denial.',
  reason: 'Reason',
  script: 'Script',
  executor: 'Executor',
  user: 'Customer',
  customer: 'Customer',
  last: 'Last seen',
  times: (count: number) => (count === 1 ? 'once' : `${number(count)} times`),
  leftOut: (count: number) => `${number(count)} more in quick succession`,
  leftOutName: 'Not recorded',
  nextTry: 'Can retry',
  valueName: 'Received value',
  andOthers: (first: string, others: number) => `${first} + ${number(others)}`,
  spanOf: (count: number, first: string, last: string) =>
    count === 1 ? `once, ${last}` : `${number(count)} times, first ${first}, last ${last}`,
  since: (count: number, first: string) => `${number(count)} times since ${first}`,
  each: 'Denials',
  moreOf: (count: number) => (count === 1 ? '1 more denial' : `${number(count)} more denials`),
  unknownScript: 'Unknown script',
  removedScript: 'Removed script',
  whatToDo: 'How to fix it',
  openUser: 'Open user',
  openScript: 'Open script',
  openSettings: 'Open settings',
  openPlan: 'View account limits',
  version: 'Version',
  address: 'IP address',
  device: 'Device',
  runtime: 'Runtime',
  first: 'First seen',
  code: 'Code',
  count: 'Occurrences',
  emptyTitle: 'No denials',
  emptyHint:
    'When a run is denied, for example because of a new device, an expired key or a wrong key, it appears here with the reason and a fix.',
  affectedTitle: "Executors that can't be device-locked",
  affectedHint:
    "They expose nothing that identifies the device, so keys can't be bound to it. Ask these users to switch executors, or allow unrecognized devices for their keys.",
  reasons: {
    rate_limited: {
      title: 'Too many attempts',
      happened: 'Someone ran the loader too often, or tried many wrong keys from one network.',
      todo: 'This usually clears on its own. If one user keeps appearing, something is running the loader in a loop: ask them to wait a minute between runs.',
    },
    outdated_loader: {
      title: 'Outdated loader',
      happened: 'The loader is too old for this version of Scriptward, or for the script.',
      todo: "Send the user the current loader from the script's page. Loaders that are fetched on every run are always up to date.",
    },
    bad_request: {
      title: 'Malformed request',
      happened:
        "The server couldn't read the loader's request. The loader was modified, or a custom client has a bug.",
      todo: 'Send the user a fresh loader. If you are writing your own client, the received value names the invalid field.',
    },
    script_not_found: {
      title: 'Script not found',
      happened: 'The loader requests a script that no longer exists.',
      todo: 'Send the user the loader for an existing script. If you removed this script recently, you can undo that under History.',
    },
    script_disabled: {
      title: 'Script disabled',
      happened: 'Someone tried to run a script that you disabled.',
      todo: 'Enable the script when it is ready to run again.',
    },
    service_unavailable: {
      title: 'Account limit or expiry',
      happened:
        'Your account has expired or is blocked, or more people are running a free script than your service tier allows.',
      todo: 'Check your account limits, then renew or upgrade. Scripts run again immediately.',
    },
    invalid_key: {
      title: 'Missing or invalid key',
      happened: 'No key was given, or the key does not belong to this project.',
      todo: 'Ask the user to copy their full key and set script_key above the loader. Many such denials from one IP address mean that someone is guessing keys. Repeated attempts are slowed down automatically.',
    },
    key_expired: {
      title: 'Key expired',
      happened: 'The key has passed its expiry date.',
      todo: 'Extend the key, or sell the customer a new one.',
    },
    blacklisted: {
      title: 'Blocked',
      happened: 'The user, their device, their network or their Discord account is blocked.',
      todo: "If that's intended, there's nothing to do. Otherwise, open the user's page and unblock them, or remove the entry under Blocks.",
    },
    fingerprint_mismatch: {
      title: 'Different device',
      happened:
        'The key is bound to another device. The user may have switched computers or executors, or may have shared their key.',
      todo: 'If you trust the user, open their page and reset the device. If this keeps happening, the key is probably shared.',
    },
    fingerprint_missing: {
      title: 'Unrecognized device',
      happened: "The executor provides nothing that identifies the device, so the key can't be bound to it.",
      todo: 'Ask the user to switch executors, or allow unrecognized devices for this key.',
    },
    fingerprint_ambiguous: {
      title: 'Ambiguous device',
      happened: 'The executor sent conflicting device IDs. Tools that modify requests can cause this.',
      todo: "Ask the user to turn off tools that modify their executor's requests, or to switch executors.",
    },
    max_executions: {
      title: 'Run limit reached',
      happened: 'The key has used all of its runs.',
      todo: "Raise the run limit on the user's page, or sell them a new key.",
    },
    max_instances: {
      title: 'Too many concurrent runs',
      happened: 'The key has reached its limit on concurrent runs.',
      todo: "The user can close a running script or end its session on their customer page. To allow more, raise the limit on the user's page.",
    },
    sessions_required: {
      title: 'No WebSocket support',
      happened: 'The script requires a live session, and this executor has no WebSocket support.',
      todo: 'Ask the user to switch to an executor with WebSocket.connect, or stop requiring live sessions for the script.',
    },
    chat_required: {
      title: 'No Discord account linked',
      happened: 'The project requires a linked Discord account, and this key has none.',
      todo: "Link the user's Discord account to the key, or turn this requirement off in the settings.",
    },
    join_required: {
      title: 'Not on your Discord server',
      happened:
        "The project requires membership in your Discord server. This user isn't a member, or Discord couldn't be reached.",
      todo: "Ask the user to join, or to try again if Discord was unreachable. The Discord page shows your bot's last error.",
    },
    key_paused: {
      title: 'Key paused',
      happened: 'You or your team paused this key.',
      todo: "Resume the key on the user's page. The paused time is added back.",
    },
    executor_not_allowed: {
      title: 'Executor not allowed',
      happened: "The script's executor rules don't allow this executor.",
      todo: "If that's intended, there's nothing to do. Otherwise, open the script and change the rules under Executors.",
    },
    not_in_plan: {
      title: 'Not in plan',
      happened: "The key's plan does not include this script.",
      todo: 'Move the user to another plan, or add the script to the plan.',
    },
    quota_spent: {
      title: 'Quota used up',
      happened: 'The key has used all the runs its plan allows in this period.',
      todo: "The quota resets automatically. To allow more runs now, move the user to another plan or raise the plan's quota.",
    },
    key_not_started: {
      title: 'Not started yet',
      happened: 'The key has a start date in the future.',
      todo: 'Remove the start date, or wait.',
    },
    network_locked: {
      title: 'Locked to another network',
      happened: "The key was earned through ads on another network, or wasn't used within a day.",
      todo: "The user can unlock the key on their customer page, in the browser where they earned it. You can also unlock the key on the user's page.",
    },
  },
} as const
