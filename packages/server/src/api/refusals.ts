/**
 * Every expected error: reason, status and message. The numeric code of a reason is declared with each
 * endpoint, because the interface scopes codes to endpoints.
 */

/** `inOneCall` is the status if the per-call limit is exceeded rather than the service tier's limit. */
type Words = { readonly status: number; readonly inOneCall?: number; readonly message: string }

/**
 * Reasons declared by individual endpoints. Messages prescribed by the interface are kept verbatim; all
 * others are sentences that describe what happened and what to do next. "This user" becomes "User …" if the
 * path names the user.
 */
const endpointRefusals = {
  max_projects_reached: { status: 403, message: 'max projects reached' },
  max_scripts_reached: { status: 403, message: 'max scripts reached' },
  max_users_reached: { status: 403, message: 'max users reached' },
  max_obfuscations_reached: { status: 403, message: 'max obfuscations reached' },
  account_expired: { status: 403, message: 'account expired' },
  cannot_edit_nothing: { status: 400, message: 'cannot edit nothing' },
  version_yanked: {
    status: 409,
    message: 'This version is yanked. Undo the yank first, or choose another version.',
  },
  version_active: {
    status: 409,
    message: "This version is active and can't be yanked. Activate another version first.",
  },
  version_in_channel: {
    status: 409,
    message:
      "This version is used by a channel and can't be yanked. Assign another version to the channel first.",
  },
  version_released: {
    status: 409,
    message: "This version is being released and can't be yanked. Roll back the release first.",
  },
  obfuscation_failed: { status: 422, message: 'failed to obfuscate script' },
  chat_already_has_key: { status: 409, message: 'key already exists with this discord (chat) account' },
  fingerprint_resets_disabled: {
    status: 403,
    message:
      "Customers of this project can't reset their own fingerprint: allow_fingerprint_resets is false. Set force to reset it anyway.",
  },
  fingerprint_reset_on_cooldown: {
    status: 409,
    message:
      "This user's fingerprint can't be reset yet: the project's reset cooldown hasn't ended. Wait until retry_at, or set force.",
  },
  no_fingerprint_assigned: {
    status: 409,
    message: 'This user has no fingerprint assigned, so there is nothing to reset.',
  },
  email_already_taken: { status: 409, message: 'Another account already uses this email address.' },
  unknown_tier: {
    status: 400,
    message: 'There is no service tier with this ID. GET /data/tiers lists all tiers.',
  },
  tier_in_use: { status: 409, message: 'This tier still has accounts. Move them to another tier first.' },
  customer_already_blacklisted: { status: 409, message: 'This account is already blocked.' },
  customer_not_blacklisted: { status: 409, message: 'This account is not blocked.' },
  max_systems_reached: {
    status: 403,
    message:
      'This account has reached the maximum number of ad systems allowed by its service tier. Remove one first.',
  },
  max_checkpoints_reached: {
    status: 403,
    message:
      'This account has reached the maximum number of checkpoints allowed by its service tier. Remove one first.',
  },
  invalid_durations: { status: 400, message: 'max_duration must be at least as long as key_duration.' },
  invalid_url: { status: 400, message: 'The URL may only contain the characters A-Z, a-z, 0-9 and -.' },
  url_already_taken: {
    status: 409,
    message: 'Another ad system already uses this URL. Choose a different one.',
  },
  checkpoint_not_prepared: {
    status: 409,
    message:
      'No checkpoint is prepared for this ad system. Call POST /adsystems/:system_id/checkpoints/prepare first.',
  },
  invalid_provider_data: {
    status: 400,
    message:
      "provider_data doesn't match the settings that this ad provider requires. See `failed` for the fields to fix.",
  },
  provider_has_no_links: {
    status: 409,
    message: "This ad provider's API can't create links. Create the link in the provider's panel.",
  },
  provider_rejected: {
    status: 422,
    message:
      'The ad provider rejected the request. Check the API token, and complete your account details with the provider.',
  },
  provider_unavailable: { status: 503, message: "The ad provider isn't responding. Try again later." },
  invalid_index: { status: 400, message: 'The index is past the end of the checkpoint list.' },
  session_not_found: { status: 404, message: 'This session does not exist or has already closed.' },
  user_already_blacklisted: { status: 409, message: 'This user is already blocked.' },
  user_not_blacklisted: { status: 409, message: 'This user is not blocked.' },
  user_already_paused: { status: 409, message: 'This user is already paused.' },
  user_already_issued: { status: 409, message: "This user's key was already issued." },
  user_already_used: { status: 409, message: 'This user has already run a script.' },
  user_not_paused: { status: 409, message: 'This user is not paused.' },
  user_expired: { status: 409, message: "This user's key has expired. Extend it first." },
  user_never_expires: {
    status: 409,
    message: "This user's key never expires, so there is nothing to extend.",
  },
  max_plans_reached: {
    status: 403,
    message: 'This project has reached the maximum number of plans. Remove one first.',
  },
  plan_name_taken: {
    status: 409,
    message: 'This project already has a plan with this name. Choose a different one.',
  },
  plan_in_use: {
    status: 409,
    message:
      'This plan is still in use. Number of users: {users}. Move its users to another plan with move_to, or edit them first.',
  },
  variables_changed: {
    status: 409,
    message:
      'The variables have changed since you read them. Read them again, then send the current version.',
  },
  max_announcements_reached: {
    status: 403,
    message:
      'This project has reached the maximum number of announcements. Remove one, or wait until one expires.',
  },
  max_functions_reached: {
    status: 403,
    message: 'This script has reached the maximum number of server functions. Remove one first.',
  },
  user_not_locked: { status: 409, message: "This user's key is not locked to a network." },
  user_already_linked: {
    status: 409,
    message: 'This user is already linked to a chat account. Set force to replace the link.',
  },
  must_filter_something: { status: 400, message: 'must filter something' },
  no_users_given: { status: 400, message: 'no users given' },
  too_many_users_to_import: { status: 403, inOneCall: 413, message: 'too many users to import' },
  too_many_keys_to_generate: { status: 403, inOneCall: 413, message: 'too many keys to generate' },
  already_banned: {
    status: 409,
    message:
      'This device, network or chat account is already blocked. Edit or remove the existing block {ban_id}.',
  },
  too_many_bans: {
    status: 403,
    message: 'This project has reached the maximum number of blocks. Remove some, or wait until they expire.',
  },
  no_device_known: {
    status: 409,
    message: 'This user has no device that can be blocked: no recognizable device is bound to the key.',
  },
  no_network_known: {
    status: 409,
    message: "This user's network is unknown: they haven't run a script in the last 30 days.",
  },
  no_chat_known: { status: 409, message: 'This user has no linked chat account.' },
  too_many_chat_members: {
    status: 403,
    message: 'The list of chat members is too long. The maximum is {limit}.',
  },
  no_webhook_address: { status: 409, message: 'This webhook has no URL. Set one first.' },
  too_many_webhooks: {
    status: 409,
    message: 'This project already has 10 additional webhook endpoints. Remove one first.',
  },
  boot_expired: { status: 409, message: 'The boot record has expired. Run the loader again.' },
  boot_reused: { status: 409, message: 'The boot record was already used. Run the loader again.' },
  boot_invalid: {
    status: 409,
    message: 'The boot record was not issued by this server. Run the loader again.',
  },
  stale_beat: { status: 400, message: 'The counter must match the last heartbeat or the next one.' },
  mail_not_configured: {
    status: 503,
    message:
      "The API key was not replaced: this server can't send email, and the account has no owner who could sign in to receive the new key. Ask the operator.",
  },
  no_api_key_waits: { status: 404, message: 'This account has no new API key waiting to be collected.' },
  last_owner: {
    status: 409,
    message: 'An account needs at least one owner. Make another member an owner first.',
  },
  owners_only: {
    status: 403,
    message: 'Only an owner who is signed in to the dashboard can add, edit or remove owners.',
  },
  owner_protected: {
    status: 409,
    message: "This owner objected to being removed and can't be removed for seven days.",
  },
  nothing_to_object_to: {
    status: 409,
    message: 'You were not removed as an owner of this account within the last seven days.',
  },
  beyond_own_rights: {
    status: 403,
    message: "You can't grant more than your own permissions. Choose fewer, or ask an owner.",
  },
  already_member: {
    status: 409,
    message: 'A member of this account already has this email address. Edit that member instead.',
  },
  already_invited: {
    status: 409,
    message: 'This email address already has a pending invitation. Withdraw it first.',
  },
  max_members_reached: {
    status: 403,
    message: 'This account has reached the maximum number of members. Remove one first.',
  },
  max_invitations_reached: {
    status: 403,
    message: 'This account has reached the maximum number of pending invitations. Withdraw one first.',
  },
  invitation_for_another: {
    status: 409,
    message:
      "This invitation was sent to a different email address than the one you're signed in with. Sign out first.",
  },
  sign_in_first: {
    status: 409,
    message:
      "This email address already belongs to a user account. Sign in and open the link again, or enter that account's password.",
  },
  too_many_tokens: {
    status: 409,
    message: 'This account already has 100 tokens. Revoke one you no longer need.',
  },
  code_gone: {
    status: 409,
    message: 'This code has expired, was already used, or belongs to another program. Sign in again.',
  },
  token_expired: { status: 409, message: 'This token has expired. Change its expires_at first.' },
  kid_unknown: { status: 409, message: 'The server has no key with this ID. Download a new loader.' },
  wrong_credentials: { status: 403, message: 'Wrong email address or password.' },
  link_gone: {
    status: 409,
    message: 'This link has expired or was already used. Request a new one.',
  },
  account_has_people: {
    status: 409,
    message:
      'This account already has members. Sign in as one of them, or ask an operator for a password reset link.',
  },
  sign_up_closed: { status: 403, message: 'Sign-up is closed on this server. Ask for an invitation.' },
  captcha_failed: {
    status: 403,
    message: 'The captcha was not solved, or its solution was already used. Try again.',
  },
  wrong_code: { status: 403, message: 'The code is wrong or was already used.' },
  ticket_gone: {
    status: 409,
    message: 'This sign-in attempt has expired or was already completed. Start again.',
  },
  totp_not_begun: {
    status: 409,
    message:
      'No authenticator app setup is in progress. Call POST /v1/auth/totp/begin, then confirm within 10 minutes.',
  },
  no_authenticator_app: { status: 409, message: 'No authenticator app is set up.' },
  passkey_needed: {
    status: 403,
    message: 'This server requires more than a password. Sign in with your passkey.',
  },
  passkeys_unavailable: {
    status: 409,
    message:
      'Passkeys require HTTPS with a host name, or http://localhost. Open the server at such a URL, or set SCRIPTWARD_BASE_URL.',
  },
  passkey_refused: {
    status: 403,
    message: 'The passkey was not accepted. Try again, or use another passkey.',
  },
  passkey_already_added: { status: 409, message: 'This passkey is already registered.' },
  too_many_passkeys: {
    status: 403,
    message: 'You have reached the maximum number of passkeys. Remove one first.',
  },
  backup_running: { status: 409, message: 'A backup is already running. Wait for it to finish.' },
  backup_failed: { status: 503, message: 'The backup failed. Cause: {why}.' },
  backup_not_removed: { status: 503, message: 'The backup was not removed. Cause: {why}.' },
  no_mail_server: {
    status: 409,
    message: "This server can't send email. Set SCRIPTWARD_SMTP_URL and SCRIPTWARD_MAIL_FROM first.",
  },
  mail_not_sent: { status: 503, message: 'The test email was not sent. Cause: {why}.' },
  discord_off: {
    status: 409,
    message: 'Discord bots are turned off on this server. Ask the operator to change SCRIPTWARD_DISCORD_URL.',
  },
  discord_token_refused: {
    status: 400,
    message: "Discord rejected the bot token. Copy a new one from your application's Bot page.",
  },
  discord_failed: { status: 409, message: 'The request to Discord failed. Cause: {why}.' },
  discord_not_connected: { status: 409, message: 'This project has no Discord bot. Connect one first.' },
  invalid_signature: {
    status: 401,
    message: 'The signature is missing, wrong or too old. Only Discord can send interactions.',
  },
  base_url_needed: {
    status: 409,
    message:
      "Discord can't reach this server. Ask the operator to set SCRIPTWARD_BASE_URL to the server's public URL.",
  },
  already_undone: { status: 409, message: 'This change was already undone.' },
  undo_is_over: { status: 409, message: 'This change is too old to be undone.' },
  nothing_to_restore_to: {
    status: 409,
    message: 'The project this change belongs to was removed. Undo that removal first.',
  },
  expired_users_are_deleted: {
    status: 409,
    message:
      "These expired users would be deleted again immediately. Set the project's delete_expired_users to false, then undo the change again.",
  },
  last_way_in: {
    status: 409,
    message: 'This is your only way to sign in. Add a password or another passkey first.',
  },
} as const satisfies Record<string, Words>

/** Reasons that any endpoint may return. Their code is always -1. */
const generalRefusals = {
  unauthorized: { status: 401, message: 'The API key or token is missing or invalid.' },
  forbidden: { status: 403, message: "You don't have permission to do this. Required: {needs}." },
  network_not_allowed: {
    status: 403,
    message: "The token can't be used from this network. Add the network to the token, or use another token.",
  },
  path_key_closed: {
    status: 403,
    message:
      "This account doesn't accept its API key in the path. Use /v1/account and send the key in the token header.",
  },
  csrf_failed: {
    status: 403,
    message: 'Requests with a session cookie need the x-scriptward-csrf header. Reload the dashboard.',
  },
  fresh_sign_in_needed: {
    status: 403,
    message: 'Your sign-in is older than 10 minutes. Confirm your identity, then try again.',
  },
  second_factor_needed: {
    status: 403,
    message: 'This server requires two-factor authentication. Add an authenticator app or a passkey first.',
  },
  not_found: { status: 404, message: 'Not found.' },
  invalid_endpoint: { status: 404, message: 'There is no endpoint with this method and path.' },
  invalid_request: {
    status: 400,
    message: 'The request is invalid. See `failed` for the fields to fix.',
  },
  idempotency_key_reused: {
    status: 409,
    message: 'This idempotency key was already used for a different request.',
  },
  idempotency_key_in_use: {
    status: 409,
    message: 'The first request with this idempotency key is still in progress. Retry shortly.',
  },
  idempotency_answer_lost: {
    status: 409,
    message:
      'The response to this idempotency key is no longer available. Check whether the first request took effect before you send it with a new key.',
  },
  too_many_idempotency_keys: {
    status: 429,
    message: 'Too many idempotency keys in the last 24 hours. Wait, or send the request without a key.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The content type is not supported. Send application/json.',
  },
  too_large: { status: 413, message: 'The request body is too large. The maximum is {limit} bytes.' },
  rate_limited: { status: 429, message: 'Too many requests. Retry in {retry_after} s.' },
  internal: {
    status: 500,
    message:
      'Something went wrong on the server. Try again, or give the operator the request_id of this error.',
  },
  unavailable: { status: 503, message: 'The server is temporarily unavailable. Try again later.' },
} as const

export const refusals: Readonly<Record<Reason, Words>> = { ...endpointRefusals, ...generalRefusals }

export type EndpointReason = keyof typeof endpointRefusals
export type GeneralReason = keyof typeof generalRefusals
export type Reason = EndpointReason | GeneralReason

/**
 * Fields that an error may have in addition to its code, type, message and request ID. The OpenAPI document
 * describes each.
 */
export type ErrorFields = {
  readonly needs?: string
  readonly failed?: readonly { readonly field: string; readonly errors: readonly string[] }[]
  readonly obfuscator_errors?: readonly { readonly param: string; readonly message: string }[]
  readonly retry_after?: number
  readonly retry_at?: number
  readonly limit?: number
  readonly users?: number
  readonly version?: number
  readonly ban_id?: string
  readonly tries_left?: number
  readonly undone_at?: number | null
  readonly undo_until?: number
  readonly address?: string
  readonly why?: string
}

/** An expected error, returned as a value. A transaction that returns one is rolled back. */
export class Refused<R extends Reason = Reason> {
  readonly reason: R
  readonly status: number
  readonly members: ErrorFields
  /** Replaces the reason's message. */
  readonly message: string | undefined

  constructor(reason: R, members: ErrorFields, status = refusals[reason].status, message?: string) {
    this.reason = reason
    this.status = status
    this.members = members
    this.message = message
  }
}

export function refuse<R extends Reason>(reason: R, members: ErrorFields = {}): Refused<R> {
  return new Refused(reason, members)
}

/**
 * Returns an error's message. Sentences whose placeholders refer to a missing field of the error are left
 * out.
 */
export function textOf({ reason, members, message }: Refused): string {
  if (message !== undefined) return message
  return refusals[reason].message.replace(/ [^.{]*\{(\w+)\}[^.]*\./g, (sentence, name: keyof ErrorFields) =>
    members[name] === undefined ? '' : sentence.replace(`{${name}}`, String(members[name])),
  )
}

/**
 * Ends every message about a missing resource, so that a resource of another account gets the same message.
 */
export const NO_ACCESS = ', or you have no access to it'
const MAX_ID_LENGTH = 64

/** For a missing resource other than the last one in the path, which the message names by default. */
export function refuseMissing(message: string): Refused<'not_found'> {
  return new Refused('not_found', {}, refusals.not_found.status, message)
}

/** Names the resource in place of a general term such as "This version". */
export function refuseNamed<R extends Reason>(reason: R, general: string, name: string): Refused<R> {
  return new Refused(reason, {}, undefined, refusals[reason].message.replace(general, name))
}

/** Sanitizes an ID, which may be any string of any length: invisible characters must not reach a terminal. */
export function shownId(id: unknown): string {
  const text = String(id).toWellFormed().replace(/\p{C}/gu, '?')
  return text.length > MAX_ID_LENGTH ? `${text.slice(0, MAX_ID_LENGTH).toWellFormed()}…` : text
}

/** The error for a call with too many entries. It includes the limit. */
export function refuseCall<R extends Reason>(reason: R, limit: number): Refused<R> {
  return new Refused(reason, { limit }, refusals[reason].inOneCall)
}

/** The error for one field of a request; `fix` completes "<field> …". Validation uses the same shape. */
export function refuseMember(field: string, fix: string): Refused<'invalid_request'> {
  return refuse('invalid_request', { failed: [{ field, errors: [fix] }] })
}
