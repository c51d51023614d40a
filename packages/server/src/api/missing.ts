/** The message of a `not_found` error. It names the missing resource in the path by kind and ID. */

import type { Endpoint } from './endpoint.ts'
import { NO_ACCESS, type Refused, refusals, shownId, textOf } from './refusals.ts'

type Addressed = Pick<Endpoint, 'path' | 'auth'>
type Params = object

/** Path parameters that may appear in a message, and the resource kind of each. API keys must not appear. */
const KINDS: Readonly<Record<string, string>> = {
  announcement_id: 'Announcement',
  ban_id: 'Ban',
  change_id: 'Change',
  checkpoint_id: 'Checkpoint',
  delivery_id: 'Delivery',
  device_id: 'Device',
  error_id: 'Error',
  release_id: 'Release',
  function_name: 'Function',
  invitation_id: 'Invitation',
  member_id: 'Member',
  passkey_id: 'Passkey',
  plan_id: 'Plan',
  project_id: 'Project',
  script_id: 'Script',
  session_id: 'Session',
  sign_in_id: 'Sign-in',
  system_id: 'Ad system',
  token_id: 'Token',
  trace_id: 'Trace',
  user_key: 'User',
  webhook_id: 'Webhook',
}
/** Resource kinds of other parameters, by the preceding path segment. */
const KINDS_BY_WORD: Readonly<Record<string, string>> = {
  customers: 'Account',
  people: 'Person',
  tiers: 'Tier',
  versions: 'Version',
}

/**
 * The resource that the endpoint is about. The message is the same whether the resource doesn't exist or
 * belongs to someone else.
 */
export function missingSubject(endpoint: Addressed, params: Params): string {
  return missing(endpoint, params, namesIn(endpoint)[0])
}

/** The kind of the resource that the endpoint is about; undefined if the path has none. */
export function missingKind(endpoint: Addressed): string | undefined {
  const [name] = namesIn(endpoint)
  return name === undefined ? undefined : kindOf(endpoint, name)
}

/** The message of an error, which names the resource in the path. */
export function messageOf(refused: Refused, endpoint: Addressed, params: Params): string {
  const name = namesIn(endpoint).at(-1)
  if (refused.reason === 'not_found' && refused.message === undefined) return missing(endpoint, params, name)
  const kind = name === undefined ? undefined : kindOf(endpoint, name)
  const text = textOf(refused)
  return name === undefined || kind === undefined
    ? text
    : text.replace(`This ${kind.toLowerCase()}`, () => `${kind} ${idIn(params, name)}`)
}

function missing(endpoint: Addressed, params: Params, name: string | undefined): string {
  const kind = name === undefined ? undefined : kindOf(endpoint, name)
  if (name === undefined || kind === undefined) return refusals.not_found.message
  const isPart = namesIn(endpoint)[0] !== name
  const isOwned = !isPart && !/^(none|client|admin)$/.test(endpoint.auth)
  return `${kind} ${idIn(params, name)} does not exist${isOwned ? NO_ACCESS : ''}`
}

function idIn(params: Params, name: string): string {
  return shownId((params as Readonly<Record<string, unknown>>)[name])
}

function kindOf({ path }: Addressed, name: string): string | undefined {
  // API keys must not appear in a message.
  if (name === 'api_key') return undefined
  const word =
    path
      .slice(0, path.indexOf(`/:${name}`))
      .split('/')
      .at(-1) ?? ''
  return KINDS[name] ?? KINDS_BY_WORD[word]
}

function namesIn({ path }: Addressed): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
}
