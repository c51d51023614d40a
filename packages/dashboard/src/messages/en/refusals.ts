/** Messages for API errors, by error type. */
import { bytes, number } from '../../lib/format.ts'

export const requestIs = (id: string) => `If this keeps happening, give your operator the request ID ${id}.`
export const refusals = {
  rate_limited: 'Too many attempts. Wait a moment, then try again.',
  unavailable: 'The server is busy. Try again in a moment.',
  internal: 'Something went wrong on the server. Try again.',
  csrf_failed: 'This page is out of date. Reload it and try again.',
  unauthorized: "You're no longer signed in.",
  wrong_credentials: 'Wrong email or password.',
  wrong_code: 'This code is wrong or has already been used. Wait for the next one.',
  ticket_gone: 'This took too long or was already completed. Start over.',
  passkey_needed: "You can't sign in with just your password. Use your passkey.",
  passkey_refused: 'This passkey was not accepted. Try again or use another one.',
  second_factor_needed:
    'This server requires two-factor authentication. Add an authenticator app or a passkey in your profile first.',
  link_gone: 'This link has expired or was already used. Request a new one the same way.',
  account_has_people:
    'This account already has a team. Sign in as a member, or ask an operator for a password reset link.',
  email_already_taken: 'This email is already in use. Use a different email, or sign in with this one.',
  invitation_for_another:
    'This invitation is for a different email than the one you are signed in with. Sign out first.',
  sign_in_first: 'This email already has a login. Enter its password, or sign in with a passkey.',
  already_member: 'Already a member of this account.',
  max_members_reached: 'Member limit reached. An owner has to remove a member first.',
  sign_up_closed: 'Sign-up is turned off on this server. Ask an account owner to invite you.',
  too_many_webhooks: 'A project can have up to 10 custom endpoints. Remove one first.',
  no_webhook_address: 'This endpoint was removed. Add it again first.',
  backup_running: 'A backup is already running. It will appear in the list when it is done.',
  backup_failed: 'The backup failed. See the reason above the list.',
  captcha_failed: 'The captcha failed or timed out. Try again.',
  passkeys_unavailable:
    "Passkeys don't work at this URL. They require HTTPS and a host name, or http://localhost.",
  already_undone: 'This change was already undone.',
  undo_is_over: 'This change can no longer be undone.',
  nothing_to_restore_to: 'The project was removed. Undo its removal first, under History.',
  expired_users_are_deleted:
    'The project deletes expired users automatically, so these users would be deleted again. First turn off “Remove expired users” in the project settings.',
  too_large: 'This exceeds the maximum request size. Send less data.',
  account_expired: 'This account has expired. Renew it, or contact your operator.',
  max_projects_reached: 'Project limit reached. Remove a project, or upgrade your service tier.',
  max_scripts_reached: 'Script limit reached. Remove a script, or upgrade your service tier.',
  max_users_reached: 'User limit reached. Remove some users, or upgrade your service tier.',
  max_obfuscations_reached:
    "You've used all obfuscations for this month. Wait until next month, or upgrade your service tier.",
  too_many_keys_to_generate:
    "Your service tier doesn't have room for that many users. Generate fewer, or upgrade your service tier.",
  too_many_users_to_import:
    "Your service tier doesn't have room for that many users. Import fewer, or upgrade your service tier.",
  max_functions_reached: 'Function limit for this script reached. Remove a function first.',
  variables_changed:
    'Someone else has changed the variables since you opened this dialog. Close it and open it again.',
  max_announcements_reached: 'Announcement limit reached. Remove an announcement first.',
  already_banned: 'Already blocked. Edit or remove the existing block.',
  too_many_bans: 'Block limit reached. Remove some blocks first.',
  no_device_known: "This key has no recognizable device, so there's nothing to block.",
  no_network_known: "This key hasn't been used in the last 30 days, so its network is unknown.",
  no_chat_known: 'This user has no linked Discord account.',
  too_many_chat_members: 'The member list would exceed its limit. First remove people who have left.',
  chat_already_has_key:
    'Another user in this project has this Discord ID. Enter a different one, or edit that user.',
  user_already_blacklisted: 'Someone else just blocked this user.',
  user_not_blacklisted: 'Someone else just unblocked this user.',
  user_not_locked: 'This key is no longer locked to a network.',
  user_already_paused: 'Someone else just paused this key.',
  user_not_paused: 'Someone else just resumed this key.',
  user_expired: 'This key has expired, so there is no remaining time to keep. Extend it first.',
  user_never_expires: "This key never expires, so it can't be extended.",
  max_plans_reached: 'Plan limit reached. Remove a plan first.',
  plan_name_taken: 'Another plan in this project has this name. Choose a different one.',
  plan_in_use: 'Keys are using this plan. Choose a plan to move them to.',
  no_fingerprint_assigned: 'No device is bound, so there is nothing to reset.',
  fingerprint_reset_on_cooldown:
    'This device was reset recently. Wait until the cooldown ends, or select “Ignore cooldown”.',
  fingerprint_resets_disabled:
    'Resets are turned off in the project settings. Turn them on, or select “Ignore cooldown”.',
  tier_in_use: 'Accounts are using this tier. Move them to another tier first.',
  session_not_found: 'This session has ended.',
  idempotency_answer_lost: 'Your change was saved, but the response was lost. Reload the page to see it.',
} as const
/** Messages for calls that exceed a limit. */
export const overLimit = {
  too_large: (limit: number) => `The limit is ${bytes(limit)} per request. Send less data.`,
  too_many_keys_to_generate: (limit: number) =>
    `You can generate up to ${number(limit)} keys at a time. Enter a smaller number.`,
  too_many_users_to_import: (limit: number) =>
    `You can import up to ${number(limit)} users at a time. Split the file.`,
} as const
