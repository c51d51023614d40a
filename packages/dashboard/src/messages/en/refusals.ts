/** Why the service refused something, by the type of its error. */
import { bytes, number } from '../../lib/format.ts'

export const refusalsText = {
  requestIs: (id: string) => `If it happens again, give the operator the request ID ${id}.`,
  refusals: {
    rate_limited: 'Too many tries. Wait a moment, then try again.',
    unavailable: 'The service is busy. Try again in a moment.',
    internal: 'Something went wrong at the service. Try again.',
    csrf_failed: 'This page is out of date. Reload it and try again.',
    unauthorized: 'You are not signed in any more.',
    wrong_credentials: 'This e-mail and password do not belong together.',
    wrong_code: 'This code is wrong, or it was used before. Wait for the next one.',
    ticket_gone: 'This took too long, or was done before. Start over.',
    passkey_needed: 'Your password alone is not enough here. Sign in with your passkey.',
    passkey_refused: 'This passkey was not accepted. Try again, or use another one.',
    second_factor_needed:
      'This service wants a second factor from you. Add an authenticator app or a passkey on your profile first.',
    link_gone: 'This link was used before, or its time is over. Ask for a new one where you got this one.',
    account_has_people:
      'This account has people already. Sign in as one of them, or ask an operator to reset the access of one.',
    email_already_taken: 'A person with this e-mail exists already. Use another one, or sign in with it.',
    invitation_for_another:
      'This invitation is for another e-mail than the one you are signed in with. Sign out first.',
    sign_in_first:
      'A person with this e-mail exists already. Give their password, or sign in with a passkey.',
    already_member: 'You are a member of this account already.',
    max_members_reached: 'This account has as many members as it may. Its owner can remove one.',
    sign_up_closed: 'Sign-up is off here. Ask the owner of an account to invite you.',
    too_many_webhooks: 'A project has at most ten more addresses. Remove one first.',
    no_webhook_address: 'This address was removed. Add it again first.',
    backup_running: 'A backup is being made already. It is in the list when it is done.',
    backup_failed: 'The backup could not be made. The reason is shown above the list.',
    captcha_failed: 'The check that you are no robot failed, or took too long. Try again.',
    passkeys_unavailable:
      'Passkeys do not work at this address. They need https and a host name, or http://localhost.',
    already_undone: 'This was undone before.',
    undo_is_over: 'This is too long ago to be undone.',
    nothing_to_restore_to: 'Its project is removed. Undo that first, under Changes.',
    expired_users_are_deleted:
      'The project would delete these expired users again at once. Turn that off in its settings first.',
    too_large: 'This is more than the service takes in one request. Send less of it.',
    account_expired: 'The plan of this account has ended. Renew it, or ask the operator of the service.',
    max_projects_reached:
      'This account has as many projects as its plan allows. Remove one, or move to a larger plan.',
    max_scripts_reached:
      'This account has as many scripts as its plan allows. Remove one, or move to a larger plan.',
    max_users_reached:
      'This account has as many users as its plan allows. Remove some, or move to a larger plan.',
    max_obfuscations_reached:
      'All protections of this month are used. Wait for the next month, or move to a larger plan.',
    too_many_keys_to_generate:
      'The plan of this account has no room for so many. Generate fewer, or move to a larger plan.',
    too_many_users_to_import:
      'The plan of this account has no room for so many. Import fewer, or move to a larger plan.',
    max_functions_reached: 'The script has as many functions as it may. Remove one first.',
    variables_changed: 'Somebody changed the variables since you opened this. Close it, and open it again.',
    max_announcements_reached: 'The project has as many announcements as it may. Remove one first.',
    already_banned: 'This is banned already. Edit or remove that ban.',
    too_many_bans: 'The project has as many bans as it may. Remove some first.',
    no_device_known: 'No device that can be recognized is bound to this key, so there is none to ban.',
    no_network_known: 'This key was not used within the last 30 days, so its network is not known.',
    no_chat_known: 'This user has no chat account.',
    too_many_chat_members: 'The list would be longer than it may be. Take out those who left first.',
    chat_already_has_key:
      'Another user of this project has this chat id. Give another one, or open that user.',
    user_already_blacklisted: 'Somebody blacklisted this user meanwhile.',
    user_not_blacklisted: 'Somebody lifted the blacklist of this user meanwhile.',
    user_not_locked: 'This key is not locked to a network any more.',
    user_already_paused: 'Somebody paused this key meanwhile.',
    user_not_paused: 'Somebody resumed this key meanwhile.',
    user_expired: 'This key has ended already, so there is no time to keep. Extend it first.',
    user_never_expires: 'This key never ends, so there is nothing to extend.',
    max_plans_reached: 'This project has as many plans as it may. Remove one first.',
    plan_name_taken: 'Another plan of this project has this name. Give another one.',
    plan_in_use: 'Keys follow this plan. Choose the plan that they follow then.',
    no_fingerprint_assigned: 'No device is bound, so there is nothing to reset.',
    fingerprint_reset_on_cooldown:
      'The device was reset a short time ago. Wait until the cooldown is over, or choose “Even during the cooldown”.',
    fingerprint_resets_disabled:
      'Resets are off in the settings of this project. Turn them on, or choose “Even during the cooldown”.',
    tier_in_use: 'Accounts have this tier. Give them another one first.',
    session_not_found: 'This session is over.',
    idempotency_answer_lost: 'This was done, but its answer was lost on the way. Reload the page to see it.',
  },
  /** More than one call may carry. */
  overLimit: {
    too_large: (limit: number) => `The service takes at most ${bytes(limit)} at once. Send less of it.`,
    too_many_keys_to_generate: (limit: number) =>
      `At most ${number(limit)} keys are generated at once. Give a smaller number.`,
    too_many_users_to_import: (limit: number) =>
      `At most ${number(limit)} users are imported at once. Split the file.`,
  },
} as const
