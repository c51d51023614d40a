/**
 * Who calls, and whether the noun in the path is theirs. Both are settled before a body is read. A noun that is
 * missing, malformed or somebody else's is refused by the same path, so that neither words nor time tell them apart.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Deps } from '../deps.ts'
import { isBlacklisted } from '../domain/blacklist.ts'
import { hashApiKey } from '../domain/credentials.ts'
import { type Refused, refuse } from '../domain/refusals.ts'
import type { Auth, Subjects } from '../endpoints/endpoint.ts'
import { onceThere, type Soon } from '../soon.ts'
import { type CustomerRow, findCustomerByApiKeyHash } from '../store/customers.ts'
import type { Database, Queries } from '../store/db.ts'
import {
  findAdCheckpointSubject,
  findAdSystemSubject,
  findAnyUser,
  findProjectSubject,
  findScriptSubject,
  type ProjectSubject,
  type UserSubject,
} from '../store/subjects.ts'

export type Request = {
  readonly headers: IncomingHttpHeaders
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  /** Reads the body, which only those endpoints do where it may hold the API key. */
  readonly body: () => Promise<{ readonly value: unknown } | Refused>
}
export type Credentials = {
  readonly token: string | undefined
  readonly params: Readonly<Record<string, string>>
}

type Outcome<A extends Auth> = Soon<Subjects[A] | Refused>

export function authenticate(deps: Deps, auth: Auth, given: Credentials): Outcome<Auth> {
  return LOADERS[auth](deps, given)
}

/** The API key, from where callers of such an endpoint give it; whether it is one is not asked here. */
export function findToken(auth: Auth, { headers, params, query, body }: Request) {
  if (auth === 'none' || auth === 'client') return undefined
  if (auth === 'customerByPathKey') return params.api_key
  const token = tokenOf(headers)
  return token === undefined && auth === 'account' ? (apiKeyIn(query) ?? apiKeyInBody(body)) : token
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
  none: () => undefined,
  client: () => undefined,
  customer: loadCustomer,
  customerByPathKey: loadCustomer,
  account: loadCustomer,
  async admin(deps, given) {
    const customer = await loadCustomer(deps, given)
    return 'reason' in customer || customer.admin === 1 ? customer : refuse('forbidden')
  },
  project: (deps, given) => loadNoun(deps, given, 'project_id', findOwnProject),
  script: (deps, given) => loadNoun(deps, given, 'script_id', reading(findScriptSubject)),
  user: (deps, given) => loadNoun(deps, given, 'user_key', findUserAndOwner),
  adSystem: (deps, given) => loadNoun(deps, given, 'system_id', reading(findAdSystemSubject)),
  adCheckpoint: (deps, given) => loadNoun(deps, given, 'checkpoint_id', reading(findAdCheckpointSubject)),
  async session(deps, given) {
    const customer = await loadCustomer(deps, given)
    if ('reason' in customer) return customer
    const session = await deps.protocol.network.find(given.params.session_id ?? '')
    return session?.customer_id === customer.id ? { customer, session } : refuse('not_found')
  },
}

async function apiKeyInBody(read: Request['body']): Promise<string | undefined> {
  const body = await read()
  return 'value' in body ? apiKeyIn(body.value) : undefined
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

/** Answers what `next` makes of the subject. */
type FindSubject<S> = <R>(
  db: Database,
  token: string,
  id: string,
  next: (subject: S | undefined) => Soon<R>,
) => Soon<R>

function reading<S>(
  find: (db: Queries, apiKeyHash: string, id: string) => Promise<S | undefined>,
): FindSubject<S> {
  return (db, token, id, next) => find(db.readPoint, hashApiKey(token), id).then(next)
}

function findProject(db: Database, token: string, id: string): Soon<ProjectSubject | undefined> {
  const read = () => findProjectSubject(db.readPoint, hashApiKey(token), id)
  const byToken = db.unchanged.find(`project ${id}`, async () => {
    const subject = await read()
    return subject && new Map([[token, subject]])
  })
  return onceThere(byToken, (known) => known && (known.get(token) ?? read()))
}

const findOwnProject: FindSubject<ProjectSubject> = (db, token, id, next) =>
  onceThere(findProject(db, token, id), next)

/** Of the users of one owner, who are asked for most of all, only the user is new. */
const findUserAndOwner: FindSubject<UserSubject> = (db, token, key, next) =>
  onceThere(findAnyUser(db.readPoint, key), (user) => {
    if (user === null) return next(undefined)
    return onceThere(findProject(db, token, user.project_id), (owner) =>
      next(owner && { customer: owner.customer, project: owner.project, user }),
    )
  })

/** One statement answers "is this theirs?" for the usual case; only a refusal asks who is calling. */
function loadNoun<S extends { customer: CustomerRow }>(
  deps: Deps,
  { token, params }: Credentials,
  name: string,
  find: FindSubject<S>,
): Soon<S | Refused> {
  if (token === undefined) return refuse('unauthorized')
  const id = params[name] ?? ''
  return find(deps.db, token, isStorable(id) ? id : '', (subject): Soon<S | Refused> => {
    const isTheirs = subject !== undefined && !isBlacklisted(subject.customer, deps.now())
    return isTheirs ? subject : refuseNoun(deps, token)
  })
}

async function refuseNoun(deps: Deps, token: string): Promise<Refused> {
  const customer = await loadCustomer(deps, { token })
  return 'reason' in customer ? customer : refuse('not_found')
}

/** Other texts are asked for all the same, as an id that nothing has. */
function isStorable(id: string): boolean {
  return !id.includes('\0')
}
