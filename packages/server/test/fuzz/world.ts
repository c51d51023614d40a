/**
 * Simulates callers that send requests, each with the resources that it can refer to: its own and other
 * callers'. Resources that appear in responses are remembered, so that later requests can refer to resources
 * that earlier requests created or removed.
 */

import { newId } from '../../src/api/ids.ts'
import { newUserKey } from '../../src/features/accounts/credentials.ts'
import { insertAdKey } from '../../src/features/ads/store/ad-keys.ts'
import { insertUser } from '../../src/features/keys/store/users.ts'
import { insertPasskey } from '../../src/features/people/store/passkeys.ts'
import type { PersonRow } from '../../src/features/people/store/sign-ins.ts'
import { changeUserCount } from '../../src/features/projects/store/projects.ts'
import type { Answer } from '../answers.ts'
import type { TestServer } from '../harness.ts'
import { NO_LIMITS } from '../nouns.ts'
import { createPerson, isSignedIn, signIn } from '../people.ts'
import { helloFor, ProtocolClient } from '../protocol/client.ts'
import { run } from '../protocol/running.ts'
import { passkey } from '../store/access-rows.ts'
import { adKey } from '../store/rows.ts'
import { type Furnished, furnish, type ResourceIds } from '../subjects.ts'
import type { Operation } from './document.ts'
import { asText, type Caller, encoded, type Request } from './requests.ts'
import { type Reference, readMark } from './values.ts'
import { problemWith, type Received } from './verdict.ts'
import type { Outgoing, Wire } from './wire.ts'

const TIER = 4711
/** Tiers that requests may change safely. */
const OTHER_TIERS = ['4712', '4713', '4714']
/** Number of resources to remember; older ones are dropped. */
const REMEMBERED = 24

const UNLIMITED = { name: 'unlimited', price: 0, ...NO_LIMITS }

/**
 * A caller and the resources that it knows, newest first. `sent` holds foreign resources that the caller has
 * sent.
 */
type Party = {
  readonly id: string
  apiKey: string
  readonly nouns: Map<string, string[]>
  readonly sent: Set<string>
  readonly person: PersonRow
  /** Headers that the caller's browser sends, including the session cookie. */
  browser: Record<string, string>
}

/** Shared by all worlds of a server. */
export type Stage = {
  readonly server: TestServer
  readonly wire: Wire
  readonly operations: readonly (Operation & { readonly pattern: RegExp })[]
  readonly expired: Party
  readonly blacklisted: Party
}

export async function setStage(
  server: TestServer,
  wire: Wire,
  operations: readonly Operation[],
): Promise<Stage> {
  await putTier(server)
  const expired = await newParty(server)
  const blacklisted = await newParty(server)
  await server.admin.post(`/v1/admin/customers/${expired.id}/edit`, { plan_expires: 1 })
  await server.admin.post(`/v1/admin/customers/${blacklisted.id}/blacklist`)
  const withPatterns = operations.map((one) => ({ ...one, pattern: patternOf(one) }))
  return { server, wire, operations: withPatterns, expired, blacklisted }
}

function patternOf({ path }: Operation): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`)
}

async function putTier(server: TestServer): Promise<Answer> {
  return server.admin.put(`/v1/admin/tiers/${TIER}`, UNLIMITED)
}

async function newParty(server: TestServer): Promise<Party> {
  const createCustomer: TestServer['createCustomer'] = () => server.createCustomer({ tier: TIER })
  const { owner, ids }: Furnished = await furnish({ ...server, createCustomer })
  await owner.post(`/v1/projects/${ids.project_id}/edit`, { allow_checks: true })
  const known = new Map(Object.entries(ids).map(([name, value]): [string, string[]] => [name, [value]]))
  known.get('user_key')?.push(await earnLocked(server, owner.id, ids))
  const person = await createPerson(server, owner.id)
  known.set('passkey_id', await addPasskeys(server, person.id))
  const browser = await signIn(server, person)
  known.set('sign_in_id', await addSignIns(server, person))
  return { id: owner.id, apiKey: owner.apiKey, nouns: known, sent: new Set(), person, browser }
}

/** Adds several passkeys, because the last login method can't be removed. */
async function addPasskeys({ deps }: TestServer, personId: string): Promise<string[]> {
  const ids = Array.from({ length: 3 }, () => newId('pky', deps.now(), deps.random))
  await deps.db.transaction(async (tx) => {
    for (const id of ids) await insertPasskey(tx, { ...passkey, id, person_id: personId, credential_id: id })
  })
  return ids
}

/** Adds dashboard sessions in other browsers, so that this browser can sign them out. */
async function addSignIns(server: TestServer, person: PersonRow): Promise<string[]> {
  for (let more = 0; more < 2; more += 1) await signIn(server, person)
  const rows = server.deps.db.read.selectFrom('sign_ins').select('id').where('person_id', '=', person.id)
  return (await rows.orderBy('id', 'desc').execute()).map(({ id }) => id)
}

/** An earned key, whose first use must come from the visitor's network. */
async function earnLocked({ deps }: TestServer, customerId: string, nouns: ResourceIds): Promise<string> {
  const { project_id = '', system_id = '' } = nouns
  const key = newUserKey(deps.random)
  await deps.db.transaction(async (tx) => {
    await insertUser(tx, { key, project_id, ad_system_id: system_id, created_at: deps.now() })
    const lock = { locked_network: adKey.network, locked_until: deps.now() + 86_400_000 }
    await insertAdKey(tx, { ...adKey, user_key: key, project_id, system_id, ...lock })
    await changeUserCount(tx, customerId, project_id, { users: 1, fromAds: 1 })
  })
  return key
}

export class World {
  readonly #stage: Stage
  readonly #neighbor: Party
  readonly owner: Party

  private constructor(stage: Stage, owner: Party, neighbor: Party) {
    this.#stage = stage
    this.owner = owner
    this.#neighbor = neighbor
  }

  /** The previous world's owner becomes this world's neighbor, so that the owner's data is foreign here. */
  static async create(stage: Stage, before: World | undefined): Promise<World> {
    await putTier(stage.server)
    const owner = await newParty(stage.server)
    return new World(stage, owner, before?.owner ?? stage.expired)
  }

  /**
   * Throws if a response is not as documented or reveals foreign data; returns the operations that succeeded.
   */
  async send(request: Request): Promise<string[]> {
    const outgoing = await this.#fill(request)
    const received = await this.#stage.wire.send(outgoing)
    const meant = this.#meant(outgoing)
    const problem = problemWith(meant, received) ?? this.#leak(request.caller, outgoing, received)
    if (problem !== undefined) throw new Error(this.#describe(problem, outgoing, received))
    await this.#learn(request, outgoing, received)
    return received.status === 200 ? meant.map(({ name }) => name) : []
  }

  #party(caller: Caller): Party | undefined {
    const { expired, blacklisted } = this.#stage
    const parties = {
      owner: this.owner,
      admin: this.owner,
      person: this.owner,
      neighbor: this.#neighbor,
      expired,
      blacklisted,
    }
    return caller in parties ? parties[caller as keyof typeof parties] : undefined
  }

  async #fill(request: Request): Promise<Outgoing> {
    const { method, caller, headers, body } = request
    const query: string[] = []
    for (const [name, value] of request.query) {
      query.push(`${encoded(name)}=${encoded(asText(await this.#resolve(caller, value)))}`)
    }
    const path = await this.#path(request)
    const content = body === undefined ? undefined : await this.#content(caller, body)
    return {
      method,
      path: query.length === 0 ? path : `${path}?${query.join('&')}`,
      headers: {
        ...headers,
        ...(await this.#credentials(caller)),
        ...(body === undefined || body.type === '' ? {} : { 'content-type': body.type }),
      },
      body: content,
    }
  }

  async #credentials(caller: Caller): Promise<Record<string, string>> {
    if (caller === 'person') return this.#browser()
    if (caller === 'nobody') return {}
    if (caller === 'stranger') return { token: 'sw_stranger' }
    if (caller === 'admin') return { token: this.#stage.server.admin.apiKey ?? '' }
    return { token: this.#party(caller)?.apiKey ?? '' }
  }

  /** Signs in again if an earlier request ended the dashboard session. */
  async #browser(): Promise<Record<string, string>> {
    const { owner } = this
    if (!(await isSignedIn(this.#stage.server, owner.browser)))
      owner.browser = await signIn(this.#stage.server, owner.person)
    return owner.browser
  }

  async #path({ path, nouns, caller }: Request): Promise<string> {
    let filled = path
    for (const [name, value] of Object.entries(nouns)) {
      const text = asText(value)
      const mark = readMark(text)
      const noun = mark === undefined ? text : encoded(String(await this.#lookUp(caller, mark, path)))
      filled = filled.replace(`{${name}}`, () => noun)
    }
    return filled
  }

  async #content(caller: Caller, body: NonNullable<Request['body']>): Promise<string> {
    if ('text' in body) return String(await this.#resolve(caller, body.text))
    return JSON.stringify(await this.#resolve(caller, body.json)) ?? ''
  }

  /** Replaces marks at every level with their values. */
  async #resolve(caller: Caller, value: unknown): Promise<unknown> {
    if (typeof value === 'string') {
      const mark = readMark(value)
      return mark === undefined ? value : this.#lookUp(caller, mark, '')
    }
    if (Array.isArray(value)) return Promise.all(value.map((one) => this.#resolve(caller, one)))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(async ([name, one]) => [name, await this.#resolve(caller, one)])
    return Object.fromEntries(await Promise.all(members))
  }

  async #lookUp(caller: Caller, { noun, of, at }: Reference, path: string): Promise<string> {
    const own = this.#party(caller) ?? this.owner
    const other = own === this.owner ? this.#neighbor : this.owner
    const party = of === 'own' ? own : other
    if (noun === 'api_key') return caller === 'stranger' ? 'sw_stranger' : own.apiKey
    if (noun.endsWith('_body')) return this.#sealed(own, noun)
    const named = path.includes('/people/') ? 'person_id' : noun
    const known = path.includes('/tiers/') ? OTHER_TIERS : (party.nouns.get(named) ?? [])
    return known[at % Math.max(1, known.length)] ?? 'none'
  }

  /** Creates the body that a loader would send, for a running instance if one can be started. */
  async #sealed(party: Party, noun: string): Promise<string> {
    const scriptId = party.nouns.get('script_id')?.[0] ?? 'none'
    const key = party.nouns.get('user_key')?.[0] ?? null
    if (noun === 'check_body') return this.#libraryCheck(party, key ?? '')
    const client = new ProtocolClient(this.#stage.server.url)
    try {
      if (noun === 'exec_body') {
        const boot = await client.boot(scriptId)
        return (await client.request(boot, helloFor(scriptId, { key }))).body
      }
      const running = await run(client, scriptId, { key })
      return noun === 'end_body' ? running.endBody() : running.beatBody()
    } catch {
      // The script or user was removed, or the user may not run the script.
      return 'lp1.none'
    }
  }

  #libraryCheck({ nouns }: Party, key: string): string {
    const project_id = nouns.get('project_id')?.[0] ?? 'none'
    const { rt, host, fp } = helloFor('')
    const check = { project_id, key, nonce: 'n'.repeat(16), rt, host, fp }
    return Buffer.from(JSON.stringify(check)).toString('base64url')
  }

  #meant({ method, path }: Outgoing): Operation[] {
    const [pathname = ''] = path.split('?')
    return this.#stage.operations.filter((one) => one.method === method && one.pattern.test(pathname))
  }

  /** A response must not contain another owner's data unless the caller sent that data. */
  #leak(caller: Caller, outgoing: Outgoing, { text }: Received): string | undefined {
    // Anyone who runs a script can learn its project.
    if (caller === 'admin' || outgoing.path.startsWith('/client/')) return undefined
    const own = this.#party(caller)
    const parties = [this.owner, this.#neighbor, this.#stage.expired, this.#stage.blacklisted]
    const sent = decodeURIComponentSafely(outgoing.path) + outgoing.body
    // Anyone who knows a key can act as the customer it belongs to.
    const others = parties.filter((party) => party !== own && !sent.includes(party.apiKey))
    const secrets = others.flatMap(secretsOf)
    // Keys can be imported, so the key of a user that another owner removed can become a different user's
    // key.
    for (const secret of secrets.filter((one) => sent.includes(one))) own?.sent.add(secret)
    const told = secrets.find((one) => text.includes(one) && !sent.includes(one) && !own?.sent.has(one))
    return told === undefined ? undefined : `the answer has what is somebody else's: ${told}`
  }

  async #learn(request: Request, { path }: Outgoing, { status, text }: Received): Promise<void> {
    const party = this.#party(request.caller)
    if (status !== 200 || party === undefined || !text.startsWith('{')) return
    // Anyone who runs a script can learn its owner. The document's example IDs belong to no one.
    if (path.startsWith('/client/') || path.startsWith('/openapi.json')) return
    if (/^\/(v1\/account|customers\/[^/]+)\/reset$/.test(path) && request.method === 'POST')
      return this.#renew(party)
    if (request.caller === 'admin') return path.includes(`${party.id}/reset`) ? this.#renew(party) : undefined
    // Some responses echo IDs from the request, which the caller does not necessarily own.
    const own = nounsIn(JSON.parse(text)).filter(([, value]) => !party.sent.has(value))
    for (const [noun, value] of own) {
      const known = party.nouns.get(noun) ?? []
      if (!known.includes(value)) party.nouns.set(noun, [value, ...known].slice(0, REMEMBERED))
    }
  }

  /** Resets the API key as an operator, because a fuzzed request may have replaced it with an unknown key. */
  async #renew(party: Party): Promise<void> {
    const answer = await this.#stage.server.admin.post(`/v1/admin/customers/${party.id}/reset`)
    if (typeof answer.body.api_key === 'string') party.apiKey = answer.body.api_key
  }

  #describe(problem: string, { method, path, headers, body }: Outgoing, { status, text }: Received): string {
    const sent = `${method} ${path.slice(0, 500)}\n${JSON.stringify(headers)}\n${body?.slice(0, 1000) ?? ''}`
    const log = this.#stage.server.log.slice(-3).join('')
    return `${problem}\n> ${sent}\n< ${status} ${text.slice(0, 1000)}\n${log}`
  }
}

const SECRETS = [
  'project_id',
  'script_id',
  'user_key',
  'system_id',
  'checkpoint_id',
  'delivery_id',
  'session_id',
  'change_id',
]

function secretsOf({ nouns, apiKey }: Party): string[] {
  return [apiKey, ...SECRETS.flatMap((noun) => nouns.get(noun) ?? [])].filter((text) => text.length >= 16)
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const PREFIXES: Readonly<Record<string, string>> = {
  prj: 'project_id',
  scr: 'script_id',
  sys: 'system_id',
  chk: 'checkpoint_id',
  err: 'error_id',
  trc: 'trace_id',
  rel: 'release_id',
  evt: 'delivery_id',
  ses: 'session_id',
  tok: 'token_id',
  mem: 'member_id',
  inv: 'invitation_id',
  sgn: 'sign_in_id',
  pky: 'passkey_id',
  chg: 'change_id',
  dev: 'device_id',
}

/** Lists the IDs of all resources that a response refers to, and the keys of users. */
function nounsIn(value: unknown, name = ''): [noun: string, value: string][] {
  if (typeof value === 'string') return nounOf(name, value)
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([member, one]) => nounsIn(one, isList ? name : member))
}

function nounOf(name: string, value: string): [string, string][] {
  if (/^(key|user_keys?)$/.test(name) && value.length >= 16) return [['user_key', value]]
  if (name === 'next') return [['after', value]]
  const noun = PREFIXES[/^([a-z]{3})_[\w-]{8,}$/.exec(value)?.[1] ?? '']
  return noun === undefined ? [] : [[noun, value]]
}
