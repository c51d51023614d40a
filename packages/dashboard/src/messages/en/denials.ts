/** Why executions were denied: what each reason means, and what to do about it. */
import { number } from '../../lib/format.ts'

export const denialsText = {
  intro: 'Who was denied, why, and how to fix it.',
  period: 'Period',
  periods: { '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
  overTime: 'Denied over time',
  total: (count: number) => (count === 1 ? '1 denied execution' : `${number(count)} denied executions`),
  commonTitle: 'Top causes',
  commonHint:
    'Choose one to see only those below. Reasons count all; users, scripts and executors count those that are listed.',
  showAll: (count: number) => `Show all ${number(count)}`,
  noneInPeriod: 'Nobody was denied in this period.',
  denied: 'Denied',
  list: 'Denials, the newest first',
  listHint:
    'The newest 50 of each user and the newest 200 without a key, for 30 days. The same one repeated in a row is one line. The chart counts all.',
  filters: 'Filters of denials',
  reason: 'Reason',
  script: 'Script',
  executor: 'Executor',
  user: 'User',
  userKey: 'Whole key of a user',
  last: 'Last time',
  noKey: 'without a key',
  times: (count: number) => (count === 1 ? 'once' : `${number(count)} times`),
  leftOut: (count: number) => `${number(count)} more that came too fast`,
  leftOutName: 'Not written down',
  nextTry: 'May try again',
  valueName: 'What was seen',
  allOfUser: 'All denials of this user',
  unknownScript: 'an unknown script',
  removedScript: 'a removed script',
  whatToDo: 'What to do',
  openUser: 'Open the user',
  openScript: 'Open the script',
  openSettings: 'Open settings',
  openPlan: 'Open the plan',
  version: 'Version',
  address: 'Address',
  device: 'Device',
  runtime: 'Runs on',
  first: 'First time',
  code: 'Code',
  count: 'How often',
  emptyTitle: 'Nobody was denied',
  emptyHint:
    'When an execution is denied, it appears here with its reason and what you can do: another device, an expired key, a wrong key.',
  affectedTitle: "Executors that can't be device-locked",
  affectedHint:
    'They show no function that identifies a device, so a key cannot be bound. Tell these users to take another executor, or allow devices that cannot be recognized for their keys.',
  reasons: {
    rate_limited: {
      title: 'Too many attempts',
      happened: 'Someone tried faster than the service allows, or tried many wrong keys from one network.',
      todo: 'Nothing, if it passes by itself. If one user is here again and again, a script of theirs runs in a loop: ask them to wait a minute between runs.',
    },
    outdated_loader: {
      title: 'Old loader',
      happened: 'The loader is older than this release of the service, or than what the script needs.',
      todo: 'Give the user the loader from the page of the script again. Who loads it from the service each time always has the newest one.',
    },
    bad_request: {
      title: 'Unreadable request',
      happened:
        'The service could not read what the loader sent. A loader that was changed, or a client of your own with a mistake, does this.',
      todo: 'Give the user a fresh loader. If you write a client of your own, look at the value: it names the member that is wrong.',
    },
    script_not_found: {
      title: 'Script was removed',
      happened: 'The loader asks for a script that does not exist any more.',
      todo: 'Give the user the loader of a script that exists. Removed scripts do not come back.',
    },
    script_disabled: {
      title: 'Script is disabled',
      happened: 'Someone ran a script that you switched off.',
      todo: 'Enable the script when it is ready to run again.',
    },
    service_unavailable: {
      title: 'Account is not served',
      happened:
        'The plan of the account has ended, the account is blocked, or more people run a free script than the plan allows.',
      todo: 'Look at the plan and its limits, and renew or raise it. Users can run scripts again at once.',
    },
    invalid_key: {
      title: 'No key or a wrong key',
      happened: 'No key was given, or one that is not a key of this project.',
      todo: 'Ask the user to copy their key whole, and to set script_key above the loader. Many of these from one address are someone who guesses: the service slows them down.',
    },
    key_expired: {
      title: 'Key expired',
      happened: 'The time of this key is over.',
      todo: 'Open the user and extend the key, or sell them a new one.',
    },
    blacklisted: {
      title: 'Blacklisted',
      happened: 'This key is on the blacklist, or its device, network or chat account is banned.',
      todo: 'Nothing, if that is what you want. Else open the user and take them off the blacklist, or remove the ban under Bans.',
    },
    fingerprint_mismatch: {
      title: 'Another device',
      happened:
        'The key is bound to one device and was used on another: a new computer, another executor, or a key that was passed on.',
      todo: 'If you know the user, open them and reset the device. If it happens again and again, the key is shared.',
    },
    fingerprint_missing: {
      title: 'Device not recognized',
      happened: 'The executor shows nothing that identifies the device, so the key cannot be bound.',
      todo: 'Ask the user to take another executor, or allow devices that cannot be recognized for this key.',
    },
    fingerprint_ambiguous: {
      title: 'Device is ambiguous',
      happened:
        'The executor identified the device in more than one way at once. Tools that change requests do this.',
      todo: 'Ask the user to turn off what changes the requests of their executor, or to take another one.',
    },
    max_executions: {
      title: 'No executions left',
      happened: 'The key has run as often as it may.',
      todo: 'Open the user and raise how often the key may run, or sell them a new one.',
    },
    max_instances: {
      title: 'Runs in too many places',
      happened: 'The key already runs in as many places at once as it may.',
      todo: 'The user closes one of them, or ends its session on the page of their key. Open the user to allow more.',
    },
    sessions_required: {
      title: 'No WebSocket',
      happened: 'The script requires a live session, and this executor has no WebSocket.',
      todo: 'Ask the user to take an executor with WebSocket.connect, or do not require sessions for the script.',
    },
    chat_required: {
      title: 'No chat account',
      happened: 'The project requires a chat account, and this key has none.',
      todo: 'Link the chat account of the user to the key, or switch this rule off in the settings.',
    },
    join_required: {
      title: 'Not on your chat server',
      happened: 'The project requires members of your chat server, and this user is none.',
      todo: 'Ask the user to join, bring the list of members up to date, or switch this rule off in the settings.',
    },
    key_paused: {
      title: 'Paused',
      happened: 'The key was paused by you or your team.',
      todo: 'Open the user and resume the key. It gets the time of the pause back.',
    },
    not_in_plan: {
      title: 'Not in the plan',
      happened: 'The plan of the key does not include this script.',
      todo: 'Give the user another plan, or add the script to the plan.',
    },
    quota_spent: {
      title: 'Quota spent',
      happened: 'The key ran as often as its plan allows in this period.',
      todo: 'It starts again by itself. Give the user another plan, or raise the quota of the plan.',
    },
    key_not_started: {
      title: 'Not started',
      happened: 'The key counts from a later time on.',
      todo: 'Open the user and take the start away, or wait for it.',
    },
    network_locked: {
      title: 'Earned in another network',
      happened: 'The key was earned by ads in one network and first used in another.',
      todo: 'The user opens the page of the key in the network where they earned it, or unlocks it there. Open the user to unlock it for them.',
    },
  },
} as const
