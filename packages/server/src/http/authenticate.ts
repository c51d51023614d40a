/**
 * Who is calling, and whether the noun in the path is theirs. Both are known before the body counts. A noun that is missing,
 * malformed or another customer's is refused by the same code path, so that neither the answer nor its time differ.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { hashApiKey } from '../domain/accounts/credentials.ts'
import { isBlacklisted } from '../domain/blacklist.ts'
import { type Refused, refuse } from '../domain/refusals.ts'
import type { Auth, Subjects } from '../endpoints/endpoint.ts'
import type { Database, Queries } from '../store/engine/db.ts'
import { type CustomerRow, findCustomerByApiKeyHash } from '../store/tables/customers.ts'
import {
  findAdCheckpointSubject,
  findAdSystemSubject,
  findProjectSubject,
  findScriptSubject,
  findUserSubject,
  type ProjectSubject,
} from '../store/tables/subjects.ts'

export type Credentials = {
  readonly token: string | undefined
  readonly params: Readonly<Record<string, string>>
}

type Outcome<A extends Auth> = Promise<Subjects[A] | Refused>

export function authenticate(deps: Deps, auth: Auth, given: Credentials): Outcome<Auth> {
  return LOADERS[auth](deps, given)
}

/** The API key from where an endpoint of this kind takes it, but for the body; whether it is valid is not asked here. */
export function findToken(auth: Auth, { headers, params, query }: FastifyRequest): string | undefined {
  if (auth === 'none' || auth === 'client') return undefined
  if (auth === 'customerByPathKey') return (params as Credentials['params']).api_key
  const token = tokenOf(headers)
  return token === undefined && auth === 'account' ? apiKeyIn(query) : token
}

/** The API key as it was sent; an address part carries it where the interface says so. */
export function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const { token, authorization } = headers
  if (typeof token === 'string') return token
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/** The key in a query or a body, where the interface calls it a parameter. */
export function apiKeyIn(members: unknown): string | undefined {
  if (typeof members !== 'object' || members === null || !Object.hasOwn(members, 'api_key')) return undefined
  const { api_key } = members as { api_key: unknown }
  return typeof api_key === 'string' ? api_key : undefined
}

const LOADERS: { readonly [A in Auth]: (deps: Deps, given: Credentials) => Outcome<A> } = {
  none: async () => undefined,
  client: async () => undefined,
  customer: loadCustomer,
  customerByPathKey: loadCustomer,
  account: loadCustomer,
  async admin(deps, given) {
    const customer = await loadCustomer(deps, given)
    return 'reason' in customer || customer.admin === 1 ? customer : refuse('forbidden')
  },
  project: (deps, given) => loadNoun(deps, given, 'project_id', findOwnProject),
  script: (deps, given) => loadNoun(deps, given, 'script_id', reading(findScriptSubject)),
  user: (deps, given) => loadNoun(deps, given, 'user_key', reading(findUserSubject)),
  adSystem: (deps, given) => loadNoun(deps, given, 'system_id', reading(findAdSystemSubject)),
  adCheckpoint: (deps, given) => loadNoun(deps, given, 'checkpoint_id', reading(findAdCheckpointSubject)),
  async session(deps, given) {
    const customer = await loadCustomer(deps, given)
    if ('reason' in customer) return customer
    const session = await deps.sessions.network.find(given.params.session_id ?? '')
    return session?.customer_id === customer.id ? { customer, session } : refuse('not_found')
  },
}

async function loadCustomer(
  deps: Deps,
  { token }: Pick<Credentials, 'token'>,
): Promise<CustomerRow | Refused> {
  if (token === undefined) return refuse('unauthorized')
  const customer = await findCustomerByApiKeyHash(deps.db.readPoint, hashApiKey(token))
  if (customer === undefined) return refuse('unauthorized')
  return isBlacklisted(customer, deps.now()) ? refuse('forbidden') : customer
}

type FindSubject<S> = (db: Database, token: string, id: string) => Promise<S | undefined>

function reading<S>(
  find: (db: Queries, apiKeyHash: string, id: string) => Promise<S | undefined>,
): FindSubject<S> {
  return (db, token, id) => find(db.readPoint, hashApiKey(token), id)
}

async function findOwnProject(db: Database, token: string, id: string): Promise<ProjectSubject | undefined> {
  const read = () => findProjectSubject(db.readPoint, hashApiKey(token), id)
  const byToken = await db.cache.find(`project ${id}`, async () => {
    const subject = await read()
    return subject && new Map([[token, subject]])
  })
  return byToken && (byToken.get(token) ?? read())
}

/** One statement answers "is this theirs?" for the usual case; only a refusal asks who is calling. */
async function loadNoun<S extends { customer: CustomerRow }>(
  deps: Deps,
  { token, params }: Credentials,
  name: string,
  find: FindSubject<S>,
): Promise<S | Refused> {
  if (token === undefined) return refuse('unauthorized')
  const id = params[name] ?? ''
  const subject = await find(deps.db, token, isStorable(id) ? id : '')
  const isTheirs = subject !== undefined && !isBlacklisted(subject.customer, deps.now())
  return isTheirs ? subject : refuseNoun(deps, token)
}

async function refuseNoun(deps: Deps, token: string): Promise<Refused> {
  const customer = await loadCustomer(deps, { token })
  return 'reason' in customer ? customer : refuse('not_found')
}

/** Other texts are looked up too, as an id that does not exist. */
function isStorable(id: string): boolean {
  return !id.includes('\0')
}
