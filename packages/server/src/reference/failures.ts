/** An operation's errors in the OpenAPI document, by status, with an example of each. */

import type { Endpoint } from '../api/endpoint.ts'
import { missingKind, missingSubject } from '../api/missing.ts'
import {
  type EndpointReason,
  type ErrorFields,
  type Reason,
  refusals,
  refuse,
  textOf,
} from '../api/refusals.ts'
import { pascalCase, type Refer } from './components.ts'
import { exampleFor } from './examples.ts'

type Failure = {
  readonly reason: Reason
  readonly code: number
  readonly status: number
  readonly message: string
}

/** Errors in addition to those that an endpoint declares, by cause. */
const NEEDS_KEY = ['unauthorized', 'forbidden', 'rate_limited'] as const
const REPEATABLE = ['idempotency_key_reused', 'idempotency_key_in_use', 'idempotency_answer_lost'] as const
const TAKES_BODY = ['unsupported_media_type', 'too_large'] as const

/**
 * The reason, code, status and message of every error that an endpoint may return, starting with its own
 * reasons.
 */
export function failuresOf(one: Endpoint): Failure[] {
  const own = Object.entries(one.failures) as [EndpointReason, number][]
  const general = generalReasons(one).map((reason) => [reason, -1] as const)
  return [...own, ...general].flatMap(([reason, code]) => {
    const { status, inOneCall } = refusals[reason]
    const statuses = inOneCall === undefined ? [status] : [status, inOneCall]
    return statuses.map((given) => ({ reason, code, status: given, message: textOf(refuse(reason)) }))
  })
}

function generalReasons(one: Endpoint) {
  const isOpen = one.auth === 'none' || one.auth === 'client'
  return [
    ...(isOpen ? [] : NEEDS_KEY),
    ...(isOpen ? [] : reasonsOfCallers(one)),
    ...(isLimitedByAddress(one) ? (['rate_limited'] as const) : []),
    ...(isRepeatable(one) ? [...REPEATABLE, 'too_many_idempotency_keys' as const] : []),
    ...(mayMiss(one) ? (['not_found'] as const) : []),
    'invalid_request' as const,
    ...(one.method === 'GET' && !one.readsBody ? [] : TAKES_BODY),
  ]
}

/** Applies to clients and to users who are not signed in yet. */
function isLimitedByAddress({ auth, path }: Endpoint): boolean {
  return auth === 'client' || (auth === 'none' && path.startsWith('/v1/auth/'))
}

/** Errors that depend on the kind of credential. */
function reasonsOfCallers(one: Endpoint) {
  const { auth, requiresRecentAuth, scope } = one
  if (auth === 'customerByPathKey') return ['path_key_closed' as const]
  return [
    ...(auth === 'person' ? [] : (['network_not_allowed'] as const)),
    ...(takesCookie(one) ? (['csrf_failed'] as const) : []),
    ...(takesCookie(one) && scope !== null ? (['second_factor_needed'] as const) : []),
    ...(requiresRecentAuth ? (['fresh_sign_in_needed'] as const) : []),
  ]
}

/**
 * A GET that changes data must not accept a cookie, because a link on any page could then trigger the change.
 */
export function takesCookie({ auth, changes, method }: Endpoint): boolean {
  if (auth === 'none' || auth === 'client' || auth === 'customerByPathKey') return false
  return !(method === 'GET' && changes === true)
}

/** Returns whether the request may refer to a resource that isn't the caller's. */
function mayMiss({ path, auth, missing, namesNoun }: Endpoint): boolean {
  return namesNoun === true || (path.includes(':') && auth !== 'customerByPathKey' && missing === undefined)
}

/**
 * Returns whether a request accepts an `Idempotency-Key`. Requests from pages don't, because browsers don't
 * retry them automatically.
 */
export function isRepeatable({ auth, method }: Endpoint): boolean {
  return method === 'POST' && !/^(none|client|person|caller)$/.test(auth)
}

/** Returns errors by status, with `default` for errors that any endpoint may return. */
export function refusalsOf(one: Endpoint, refer: Refer): Readonly<Record<string, object>> {
  const responses: Record<string, object> = {}
  for (const [status, failures] of Map.groupBy(failuresOf(one), (failure) => failure.status)) {
    responses[status] = responseOf(one, failures, refer)
  }
  responses.default = {
    description: 'Any other error.',
    content: { 'application/json': { schema: refer('schemas', 'Error', ENVELOPE) } },
  }
  return responses
}

function responseOf(one: Endpoint, failures: readonly Failure[], refer: Refer) {
  const [{ message = '' } = {}, second] = failures
  const description =
    second === undefined ? message : failures.map(({ reason }) => `\`${reason}\``).join(', ')
  const examples = failures.map((failure) => [
    failure.reason,
    refer('examples', exampleName(one, failure), exampleOf(one, failure)),
  ])
  const content = { schema: refer('schemas', 'Error', ENVELOPE), examples: Object.fromEntries(examples) }
  return { description, content: { 'application/json': content } }
}

/**
 * Examples of the same reason differ in the code, in the kind of resource, or in whether a scope is needed.
 */
function exampleName(one: Endpoint, { reason, code }: Failure): string {
  const kind = missingKind(one) ?? ''
  const details: Partial<Record<Reason, string>> = {
    forbidden: one.scope === null ? 'without scope' : '',
    // Clients have no account that could lack access.
    not_found: `${one.auth === 'client' && kind !== '' ? 'client ' : ''}${kind}`,
  }
  return pascalCase(`${reason} ${code < 0 ? '' : code} ${details[reason] ?? ''}`.trimEnd())
}

function exampleOf(one: Endpoint, { reason, code }: Failure) {
  const fields = membersOf(one, reason)
  const message =
    reason === 'not_found'
      ? missingSubject(one, (exampleFor(one, 'params') ?? {}) as object)
      : textOf(refuse(reason, fields))
  const error = { code, type: reason, message, request_id: '9f86d081884c-0001', ...fields }
  return { value: { success: false, error } }
}

/** Additional fields of an error, in the form that the server sends. */
function membersOf({ scope }: Endpoint, reason: Reason): ErrorFields {
  return reason === 'forbidden' && scope === null ? {} : (MEMBERS[reason] ?? {})
}

const MEMBERS: Partial<Record<Reason, ErrorFields>> = {
  forbidden: { needs: 'users:write' },
  invalid_request: { failed: [{ field: 'name', errors: ['is required'] }] },
  rate_limited: { retry_after: 2 },
  too_many_idempotency_keys: { retry_after: 3600 },
  idempotency_key_in_use: { retry_after: 1 },
  too_large: { limit: 1_048_576 },
  too_many_chat_members: { limit: 250_000 },
  too_many_bans: { limit: 10_000 },
  max_announcements_reached: { limit: 50 },
  max_functions_reached: { limit: 32 },
  variables_changed: { version: 4 },
  already_banned: { ban_id: 'ban_0VMc4VLkS3dMnOpQrStUvW' },
  plan_in_use: { users: 34 },
  already_undone: { undone_at: 1_790_000_000_000 },
  undo_is_over: { undo_until: 1_790_000_000_000 },
  backup_failed: { why: 'no space left on device' },
  too_many_users_to_import: { limit: 100_000 },
  too_many_keys_to_generate: { limit: 10_000 },
  fingerprint_reset_on_cooldown: { retry_at: 1_790_086_400_000 },
  wrong_code: { tries_left: 4 },
  passkeys_unavailable: { address: 'http://192.0.2.7:3000' },
  invalid_provider_data: { failed: [{ field: 'link_id', errors: ['must be digits'] }] },
  obfuscation_failed: {
    obfuscator_errors: [{ param: 'script', message: 'line 2, column 9: expected an expression, got "end"' }],
  },
}

const FIELDS = {
  needs: {
    type: 'string',
    description:
      "With `forbidden`: the missing permission, usually the scope of the operation. Also returned with errors about the user limit if a team member's own limit was reached.",
  },
  failed: {
    type: 'array',
    description: 'Invalid request fields, and how to fix them.',
    items: {
      type: 'object',
      required: ['field', 'errors'],
      properties: { field: { type: 'string' }, errors: { type: 'array', items: { type: 'string' } } },
    },
  },
  obfuscator_errors: {
    type: 'array',
    description: 'With `obfuscation_failed`: the errors in the script, with line and column.',
    items: {
      type: 'object',
      required: ['param', 'message'],
      properties: { param: { type: 'string' }, message: { type: 'string' } },
    },
  },
  retry_after: {
    type: 'number',
    description: 'Seconds to wait before retrying. Also sent as the `Retry-After` header.',
  },
  retry_at: {
    type: 'integer',
    description:
      'With `fingerprint_reset_on_cooldown`: when the next reset is allowed, in Unix milliseconds.',
  },
  limit: { type: 'number', description: 'Limit that the request exceeds.' },
  users: { type: 'integer', description: 'With `plan_in_use`: number of users on the plan.' },
  version: { type: 'integer', description: 'With `variables_changed`: the current version.' },
  ban_id: { type: 'string', description: 'With `already_banned`: ID of the existing ban.' },
  tries_left: { type: 'integer', description: 'With `wrong_code`: number of attempts left.' },
  undone_at: {
    type: ['integer', 'null'],
    description: 'With `already_undone`: when it was undone, in Unix milliseconds.',
  },
  undo_until: {
    type: 'integer',
    description: 'With `undo_is_over`: when the undo period ended, in Unix milliseconds.',
  },
  address: {
    type: 'string',
    description: 'With `passkeys_unavailable`: a server URL where passkeys work.',
  },
  why: { type: 'string', description: 'With `backup_failed`: the cause.' },
} as const satisfies Record<keyof ErrorFields, object>

export const ENVELOPE = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'type', 'message', 'request_id'],
      properties: {
        code: {
          type: 'integer',
          description: 'Error code, scoped to the endpoint. -1 for errors that any endpoint may return.',
        },
        type: {
          type: 'string',
          enum: Object.keys(refusals),
          description: 'Error type, unique across the API.',
        },
        message: { type: 'string' },
        request_id: { type: 'string', description: 'Request ID, for finding the request in the server log.' },
        ...FIELDS,
      },
    },
  },
}
