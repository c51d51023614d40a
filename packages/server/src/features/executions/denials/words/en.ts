import { DENIALS } from '@scriptward/client/messages'

/** Messages that contain no details about the attempt. */
const {
  outdated_loader,
  script_not_found,
  script_disabled,
  service_unavailable,
  invalid_key,
  fingerprint_ambiguous,
  max_executions,
  chat_required,
  key_paused,
  not_in_plan,
  quota_spent,
  key_not_started,
  network_locked,
} = DENIALS

export const en = {
  rate_limited: 'Too many attempts. Try again in {wait}.',
  wrong_keys: 'Too many wrong keys were tried from your network. Check script_key, then try again in {wait}.',
  outdated_loader: outdated_loader.message,
  script_not_found: script_not_found.message,
  script_disabled: script_disabled.message,
  service_unavailable: service_unavailable.message,
  invalid_key: invalid_key.message,
  no_key: 'No key was given. Put script_key = "your key" above the loader, or set the SCRIPT_KEY variable.',
  typo: 'This key contains a typo. Check script_key.',
  key_expired: 'This key expired {ago} ago. Extend it, or get a new one.',
  blacklisted: 'This key or device is blocked.',
  blacklist_reason: 'Reason: {reason}.',
  blacklist_end: 'The block ends in {wait}.',
  executor_not_allowed: "This script doesn't support your executor ({executor}). Use another executor.",
  fingerprint_mismatch: 'This key is bound to another device.',
  reset_now: "Reset the device on your key's page, then run the script again.",
  reset_later: "You can reset the device in {wait}, on your key's page.",
  reset_by_author: "Ask the script's author to reset the device.",
  fingerprint_missing:
    "Your executor ({executor}) has no working gethwid function, so your device can't be identified. Use an executor that has one, or ask the author to allow devices that can't be identified.",
  fingerprint_unreadable:
    "Your device can't be identified: no machine ID could be read with io.open or io.popen. Run the script where both work, or ask the author to allow devices that can't be identified.",
  fingerprint_ambiguous: fingerprint_ambiguous.message,
  max_executions: max_executions.message,
  max_instances:
    "This key is already running the maximum number of times ({max}). Close one, or end it on your key's page.",
  sessions_required:
    'This script needs WebSocket support, but your executor ({executor}) has no WebSocket.connect. Use an executor that has it.',
  chat_required: chat_required.message,
  join_required: "Join this script's Discord server first.",
  link_and_join: "Link your Discord account to this key and join this script's Discord server first.",
  join_unknown:
    "Discord can't be reached at the moment, so we can't check whether you're on this script's Discord server. Try again in a minute.",
  key_paused: key_paused.message,
  not_in_plan: not_in_plan.message,
  quota_spent: quota_spent.message,
  key_not_started: key_not_started.message,
  network_locked: network_locked.message,

  link_get_key: 'Get a key',
  link_own_page: 'Your key',
  link_support: 'Help',
}

export type DenialWord = keyof typeof en
export type DenialWords = Readonly<Record<DenialWord, string>>
