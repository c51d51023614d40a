/** Messages for blocked devices, networks and Discord accounts. The API calls them bans. */
import { number } from '../../lib/format.ts'

const users = (count: number) => (count === 1 ? '1 user' : `${number(count)} users`)

export const bansText = {
  intro:
    'Block devices, networks or Discord accounts regardless of key. To stop a single key, block the user instead.',
  newBan: 'Add block',
  banUser: 'Block device, network or account…',
  banUserTitle: "Block this user's device, network or account",
  kind: 'Type',
  all: 'All',
  kinds: { device: 'Device', network: 'Network', chat: 'Discord account' },
  list: 'Blocks',
  blockedUsers: (count: number) => (count === 1 ? '1 blocked user' : `${number(count)} blocked users`),
  noneTitle: 'No blocks yet',
  noneHint:
    "Block a device, network or Discord account when someone you blocked comes back with another key. You can also add a block on a user's page.",
  values: {
    device: 'Device ID',
    network: 'IP address or network',
    chat: 'Discord ID',
  },
  valueHints: {
    device:
      "The device ID reported by the executor, for example from another service's logs. To block the device of an existing user, open that user's page.",
    network:
      'For example 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48. The largest networks you can block are a /16 (IPv4) and a /32 (IPv6).',
    chat: 'Blocks every key linked to this account.',
  },
  halfKnown:
    'For denied devices, only the first half of the IP address is kept, so this network is large. Narrow it if you know the full address, and check the preview.',
  ofUser: {
    device: 'No key in this project will run on this device.',
    network: 'The network used in their last run. Other people may share it.',
    chat: 'Blocks every key linked to this account.',
  },
  reason: 'Reason',
  reasonHint: 'Shown to customers who are denied.',
  hitBy: {
    device: 'Their device is blocked',
    network: 'The network of their last run is blocked',
    chat: 'Their Discord account is blocked',
  },
  showBan: 'View block',
  ends: 'Expires',
  never: 'Never expires',
  endsAt: 'Expires',
  takenFrom: 'From user',
  show: 'Preview',
  ban: 'Block',
  preview: 'Preview',
  counting: 'Counting…',
  hits: (value: string) => `This blocks ${value}.`,
  hitUsers: (count: number) =>
    count === 0
      ? 'No known user is affected.'
      : `Affects ${users(count)}, based on their last run or bound device.`,
  hitRuns: (count: number) =>
    count === 0
      ? 'No runs are affected right now.'
      : count === 1
        ? '1 run will end immediately.'
        : `${number(count)} runs will end immediately.`,
  isBanned: 'Already blocked.',
  banned: (value: string) => `${value} is blocked.`,
  edit: 'Edit',
  editTitle: (value: string) => `Edit block: ${value}`,
  remove: 'Unblock',
  removeTitle: (value: string) => `Unblock ${value}?`,
  removeWords: "Scripts can run again if the key is valid. Ended sessions don't restart.",
  gone: 'This block has expired or was removed.',
  threshold: 'Shared key threshold (networks)',
  thresholdHint:
    'Keys used on more networks than this within 7 days get a badge, and your webhooks receive at most one user.shared event per key per day. The same applies to keys that run on two networks at the same time. Up to 32; 0 turns this off.',
  thresholdWrong: 'Enter a whole number from 0 to 32.',
} as const
