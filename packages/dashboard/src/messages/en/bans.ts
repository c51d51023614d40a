/** Bans of devices, networks and chat accounts. */
import { number } from '../../lib/format.ts'

const users = (count: number) => (count === 1 ? '1 user' : `${number(count)} users`)

export const bansText = {
  intro:
    'Devices, networks and chat accounts with which nobody runs your scripts, whatever their key. For one key alone, blacklist the user.',
  newBan: 'New ban',
  banUser: 'Ban…',
  banUserTitle: 'Ban what this user uses',
  kind: 'Kind',
  all: 'All',
  kinds: { device: 'Device', network: 'Network', chat: 'Chat account' },
  list: 'Bans',
  noneTitle: 'Nobody is banned',
  noneHint:
    'Ban a device, a network or a chat account when somebody comes back with another key. From the page of a user you can ban what they use.',
  values: {
    device: 'Identifier of the device',
    network: 'Address or network',
    chat: 'Chat id',
  },
  valueHints: {
    device:
      'As the executor sends it, for instance from the records of another service. To ban the device of a user, open the user.',
    network: 'Such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48; at most a /16 of IPv4 or a /32 of IPv6.',
    chat: 'Every key that is linked to it is refused.',
  },
  ofUser: {
    device: 'Every key of this project is refused on it.',
    network: 'The network of their last run. Others may be in it too.',
    chat: 'Every key that is linked to it is refused.',
  },
  reason: 'Reason',
  reasonHint: 'Users read it when they are refused.',
  hitBy: {
    device: 'Their device is banned',
    network: 'The network of their last run is banned',
    chat: 'Their chat account is banned',
  },
  showBan: 'Show the ban',
  ends: 'Ends',
  never: 'Never ends',
  endsAt: 'Ends',
  takenFrom: 'Taken from',
  show: 'Show whom it hits',
  ban: 'Ban',
  preview: 'What it hits',
  counting: 'Counting…',
  hits: (value: string) => `It bans ${value}.`,
  hitUsers: (count: number) =>
    count === 0 ? 'No user is known to use it.' : `${users(count)} last used it, or are bound to it.`,
  hitRuns: (count: number) =>
    count === 0
      ? 'Nothing runs with it now.'
      : count === 1
        ? '1 run ends at once.'
        : `${number(count)} runs end at once.`,
  isBanned: 'It is banned already.',
  banned: (value: string) => `${value} is banned.`,
  edit: 'Edit',
  editTitle: (value: string) => `Edit the ban of ${value}`,
  remove: 'Remove',
  removeTitle: (value: string) => `Remove the ban of ${value}?`,
  removeWords:
    'From the next run on it is let in again, as far as its key allows. What has ended stays ended.',
  gone: 'This ban has ended, or somebody removed it.',
  shared: 'Shared',
  notShared: 'Not shared',
  sharedFilter: 'Sharing',
  lately: 'Use in 7 days',
  usedIn: (networks: number, devices: number) =>
    `${networks === 1 ? '1 network' : `${number(networks)} networks`}${devices === 0 ? '' : `, ${devices === 1 ? '1 other device refused' : `${number(devices)} other devices refused`}`}`,
  threshold: 'Networks before a key counts as shared',
  thresholdHint:
    'A key that is used in more networks within 7 days gets a badge, and your webhooks get user.shared once a day. 0 turns it off; at most 32.',
  thresholdWrong: 'Give a whole number from 0 to 32.',
} as const
