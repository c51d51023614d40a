/**
 * The catalogue of every "no" that the service says on purpose: reason → status and words. The number that a
 * reason has at an endpoint is not here, because the interface scopes codes to endpoints.
 */

/** `inOneCall` is the status when it is not the plan that sets the bound but what one call may carry. */
type Words = { readonly status: number; readonly inOneCall?: number; readonly message: string }

/** Reasons of single endpoints. The words are the interface's where it has them; one reason has one message. */
const endpointRefusals = {
  max_projects_reached: { status: 403, message: 'max projects reached' },
  max_scripts_reached: { status: 403, message: 'max scripts reached' },
  max_users_reached: { status: 403, message: 'max users reached' },
  max_obfuscations_reached: { status: 403, message: 'max obfuscations reached' },
  account_expired: { status: 403, message: 'account expired' },
  cannot_edit_nothing: { status: 400, message: 'cannot edit nothing' },
  obfuscation_failed: { status: 422, message: 'failed to obfuscate script' },
  chat_already_has_key: { status: 409, message: 'key already exists with this discord (chat) account' },
  fingerprint_resets_disabled: { status: 403, message: 'fingerprint resets are disabled' },
  fingerprint_reset_on_cooldown: { status: 409, message: 'fingerprint reset on cooldown' },
  no_fingerprint_assigned: { status: 409, message: 'no fingerprint assigned' },
  email_already_taken: { status: 409, message: 'email already taken' },
  unknown_tier: { status: 400, message: 'unknown tier' },
  tier_in_use: { status: 409, message: 'tier in use' },
  customer_already_blacklisted: { status: 409, message: 'customer already blacklisted' },
  customer_not_blacklisted: { status: 409, message: 'customer not blacklisted' },
  max_systems_reached: { status: 403, message: 'max systems reached' },
  max_checkpoints_reached: { status: 403, message: 'max checkpoints reached' },
  invalid_durations: { status: 400, message: 'invalid durations' },
  invalid_url: { status: 400, message: 'invalid url' },
  url_already_taken: { status: 409, message: 'url already taken' },
  checkpoint_not_prepared: { status: 409, message: 'checkpoint not prepared' },
  invalid_provider_data: { status: 400, message: 'invalid provider data' },
  invalid_index: { status: 400, message: 'invalid index' },
  session_not_found: { status: 404, message: 'session not found or gone' },
  user_already_blacklisted: { status: 409, message: 'user already blacklisted' },
  user_not_blacklisted: { status: 409, message: 'user not blacklisted' },
  user_already_paused: { status: 409, message: 'user already paused' },
  user_already_issued: { status: 409, message: 'user already issued' },
  user_already_used: { status: 409, message: 'user already used' },
  user_not_paused: { status: 409, message: 'user not paused' },
  user_expired: { status: 409, message: 'this key has ended: extend it first' },
  user_never_expires: { status: 409, message: 'this key never ends, so there is nothing to extend' },
  max_plans_reached: { status: 403, message: 'as many plans as a project may have: remove one first' },
  plan_name_taken: { status: 409, message: 'a plan of this project has this name already' },
  plan_in_use: {
    status: 409,
    message: 'users follow this plan: name another plan in move_to, or edit the users first',
  },
  variables_changed: {
    status: 409,
    message: 'somebody changed the variables since: read them again, and send the new version',
  },
  max_announcements_reached: {
    status: 403,
    message: 'as many announcements as a project may have: remove one, or let some end',
  },
  max_functions_reached: {
    status: 403,
    message: 'as many functions as a script may have: remove one first',
  },
  user_not_locked: { status: 409, message: 'user not locked to a network' },
  user_already_linked: { status: 409, message: 'user already linked' },
  must_filter_something: { status: 400, message: 'must filter something' },
  no_users_given: { status: 400, message: 'no users given' },
  too_many_users_to_import: { status: 403, inOneCall: 413, message: 'too many users to import' },
  too_many_keys_to_generate: { status: 403, inOneCall: 413, message: 'too many keys to generate' },
  already_banned: { status: 409, message: 'a ban of this exists already: edit or remove that one' },
  too_many_bans: {
    status: 403,
    message: 'as many bans as a project may have: remove some, or let them expire',
  },
  no_device_known: {
    status: 409,
    message: 'no device of this user can be banned: none that can be recognised is bound to the key',
  },
  no_network_known: {
    status: 409,
    message: 'the network of this user is not known: they ran nothing within the last 30 days',
  },
  no_chat_known: { status: 409, message: 'this user has no chat account' },
  too_many_chat_members: { status: 403, message: 'too many chat members' },
  no_webhook_address: { status: 409, message: 'no address for this webhook' },
  too_many_webhooks: {
    status: 409,
    message: 'a project has at most 10 addresses beside its three: remove one first',
  },
  boot_expired: { status: 409, message: 'boot record expired' },
  boot_reused: { status: 409, message: 'boot record already used' },
  boot_invalid: { status: 409, message: 'boot record not from this service' },
  stale_beat: { status: 400, message: 'not the number of the last or the next beat' },
  mail_not_configured: {
    status: 503,
    message:
      'this service sends no mail and no owner can sign in to the account, so the API key was not replaced: ask the operator',
  },
  no_api_key_waits: { status: 404, message: 'no new API key waits for this account' },
  last_owner: { status: 409, message: 'an account keeps an owner: make another member owner first' },
  owners_only: {
    status: 403,
    message: 'only an owner who is signed in can add, edit or remove owners: do this in the dashboard',
  },
  owner_protected: {
    status: 409,
    message: 'this owner objected to being removed, and can be removed again only after seven days',
  },
  nothing_to_object_to: {
    status: 409,
    message: 'this person was not removed as an owner within the last seven days',
  },
  beyond_own_rights: { status: 403, message: 'more than you may do yourself: give less, or ask an owner' },
  already_member: { status: 409, message: 'a member has this e-mail address: edit that member' },
  already_invited: { status: 409, message: 'this e-mail address is invited already: withdraw that first' },
  max_members_reached: { status: 403, message: 'as many members as an account may have: remove one first' },
  max_invitations_reached: {
    status: 403,
    message: 'as many invitations as may wait: withdraw one first',
  },
  invitation_for_another: {
    status: 409,
    message: 'this invitation is for another e-mail address than that of your sign-in: sign out first',
  },
  sign_in_first: {
    status: 409,
    message:
      'a person has this e-mail address: sign in as them and open the link again, or give their password',
  },
  too_many_tokens: {
    status: 409,
    message: 'an account has at most 100 tokens: revoke one that is not needed any more',
  },
  code_gone: {
    status: 409,
    message: 'this code was used before, is over, or was given to another program: sign in once more',
  },
  token_expired: { status: 409, message: 'this token has expired: edit its expires_at first' },
  kid_unknown: { status: 409, message: 'unknown key id' },
  wrong_credentials: { status: 403, message: 'wrong e-mail address or password' },
  link_gone: {
    status: 409,
    message: 'this link was used before or is over: ask for a new one',
  },
  account_has_people: {
    status: 409,
    message: 'this account has people already: sign in, or reset the access of one of them',
  },
  sign_up_closed: { status: 403, message: 'this service takes no sign-ups: ask for an invitation' },
  captcha_failed: { status: 403, message: 'the captcha was not solved, or this solution was used before' },
  wrong_code: { status: 403, message: 'wrong code, or one that was used before' },
  ticket_gone: { status: 409, message: 'this took too long or was done before: begin once more' },
  totp_not_begun: { status: 409, message: 'begin with /v1/auth/totp/begin, at most 10 minutes before' },
  no_authenticator_app: { status: 409, message: 'no authenticator app is set up' },
  passkey_needed: {
    status: 403,
    message: 'use your passkey: this service wants more than a password from you',
  },
  passkeys_unavailable: {
    status: 409,
    message:
      'passkeys need an https address with a host name, or http://localhost: open the service there, or set SCRIPTWARD_BASE_URL',
  },
  passkey_refused: { status: 403, message: 'this passkey was not accepted: begin once more, or use another' },
  passkey_already_added: { status: 409, message: 'this passkey was added before' },
  too_many_passkeys: { status: 403, message: 'too many passkeys: remove one first' },
  backup_running: { status: 409, message: 'a backup is being made already' },
  backup_failed: { status: 503, message: 'the backup could not be made' },
  already_undone: { status: 409, message: 'this was undone before' },
  undo_is_over: { status: 409, message: 'this is too long ago to be undone' },
  nothing_to_restore_to: { status: 409, message: 'its project is removed: undo that first' },
  expired_users_are_deleted: {
    status: 409,
    message:
      'the project would delete these expired users again at once: set delete_expired_users to false, then undo',
  },
  last_way_in: {
    status: 409,
    message: 'nothing else would sign you in: add another passkey or a password first',
  },
} as const satisfies Record<string, Words>

/** Reasons that any endpoint may answer with; their code is always -1. */
const generalRefusals = {
  unauthorized: { status: 401, message: 'missing or wrong API key' },
  forbidden: { status: 403, message: 'forbidden' },
  network_not_allowed: { status: 403, message: 'this token is not allowed from this network' },
  path_key_closed: {
    status: 403,
    message: 'this account takes its API key in a header only; use /v1/account with the header token',
  },
  csrf_failed: {
    status: 403,
    message: 'a cookie counts only with the header x-scriptward-csrf from the dashboard: reload the page',
  },
  fresh_sign_in_needed: {
    status: 403,
    message: 'prove once more who you are, then repeat this: your sign-in is older than 10 minutes',
  },
  second_factor_needed: {
    status: 403,
    message: 'add an authenticator app or a passkey first: this service wants a second factor from you',
  },
  not_found: { status: 404, message: 'not found' },
  invalid_endpoint: { status: 404, message: 'invalid endpoint' },
  invalid_request: { status: 400, message: 'invalid request' },
  idempotency_key_reused: { status: 409, message: 'idempotency key already used for another request' },
  idempotency_key_in_use: { status: 409, message: 'request with this idempotency key has no answer yet' },
  idempotency_answer_lost: { status: 409, message: 'answer to this idempotency key was lost' },
  too_many_idempotency_keys: {
    status: 429,
    message: 'too many idempotency keys within a day; wait, or send the request without one',
  },
  unsupported_media_type: { status: 415, message: 'unsupported media type' },
  too_large: { status: 413, message: 'request too large' },
  rate_limited: { status: 429, message: 'too many requests' },
  internal: { status: 500, message: 'internal error' },
  unavailable: { status: 503, message: 'temporarily unavailable' },
} as const

export const refusals: Readonly<Record<Reason, Words>> = { ...endpointRefusals, ...generalRefusals }

export type EndpointReason = keyof typeof endpointRefusals
export type GeneralReason = keyof typeof generalRefusals
export type Reason = EndpointReason | GeneralReason

/** Fields that an error may have in addition to its code, type, message and request id. The OpenAPI document describes each. */
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

/** An expected "no", returned as a value; a transaction that returns one is rolled back. */
export class Refused<R extends Reason = Reason> {
  readonly reason: R
  readonly status: number
  readonly members: ErrorFields
  /** Replaces the message of the reason. */
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

/** Continues a message about a thing that exists for others only, so that it reads like one that does not exist. */
export const NO_ACCESS = ', or you have no access to it'
const MAX_ID_LENGTH = 64

/** For what is not named last in the path, of which the message is made otherwise. */
export function refuseMissing(message: string): Refused<'not_found'> {
  return new Refused('not_found', {}, refusals.not_found.status, message)
}

/** An id may be any text of any length; what cannot be seen must not get into a terminal. */
export function shownId(id: unknown): string {
  const text = String(id).toWellFormed().replace(/\p{C}/gu, '?')
  return text.length > MAX_ID_LENGTH ? `${text.slice(0, MAX_ID_LENGTH).toWellFormed()}…` : text
}

/** Refuses more than one call may carry, and says how much that is. */
export function refuseCall<R extends Reason>(reason: R, limit: number): Refused<R> {
  return new Refused(reason, { limit }, refusals[reason].inOneCall)
}

/** Refuses one member of a request; `fix` says what it must be. Validation uses the same shape. */
export function refuseMember(field: string, fix: string): Refused<'invalid_request'> {
  return refuse('invalid_request', { failed: [{ field, errors: [fix] }] })
}
