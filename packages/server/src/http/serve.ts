/**
 * The only file that knows Fastify. It registers every endpoint in a loop and sends each request down one line: what
 * `walk.ts` makes of it, `handle`, answer. What the steps mean is in the files beside this one.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import staticFiles from '@fastify/static'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Deps } from '../deps.ts'
import { limitAddress } from '../domain/attempts.ts'
import { Refused, refuse } from '../domain/refusals.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Page } from '../endpoints/page.ts'
import type { Lulls } from '../lulls.ts'
import { onceThere, type Soon } from '../soon.ts'
import { isUnavailable } from '../store/dialect.ts'
import { ValkeyUnavailable } from '../valkey/valkey.ts'
import { adsPaths } from './ads-address.ts'
import { type Answer, answerOutcome, answerRefusal } from './answer.ts'
import { apiKeyIn, tokenOf } from './authenticate.ts'
import { headersOf, membersOf } from './headers.ts'
import { Metrics, mayReadMetrics } from './metrics.ts'
import { answerPage } from './page-answers.ts'
import { cachingOf, findPages, HOME, PAGE_HEADERS } from './pages.ts'
import { type Admission, NO_HEADERS, RateLimits } from './rate-limits.ts'
import { type Repeatable, Repeats } from './repeats.ts'
import { countedIds, takenOver } from './request-ids.ts'
import { logFailure, logRequest } from './request-log.ts'
import { isSocketRequest, SessionSockets, SOCKET_PATH, type Upgrade } from './socket.ts'
import { readLive, readStream } from './stream.ts'
import { atEndOfTurn, type Together, whenAllAreTold } from './turn.ts'
import { answerUnreadable } from './unreadable.ts'
import { type CalledWalk, type RefusedWalk, type Route, routeOf, walk } from './walk.ts'

export type HttpServer = {
  /** Listens and answers the address under which it can be reached from here. */
  listen(): Promise<string>
  /** Accepts nothing new, answers what waits, and is done. */
  close(): Promise<void>
}

// An import of it loads Node's own fetch and WebSocket too: 11 MiB for as long as the service runs.
const { ServerResponse } = process.getBuiltinModule('node:http')

/** What is told of every request. */
export type Told = { readonly log: Logger; readonly lulls: Lulls }
type Observers = Told & { readonly metrics: Metrics }

/** What all routes share. */
type Shared = Observers & {
  readonly deps: Deps
  readonly rates: RateLimits
  readonly repeats: Repeats
  readonly atEndOfTurn: Together
  readonly whenAllAreTold: Together
}

const NO_FAILURES = {}

/** Bodies are read by `walk.ts`, for which Fastify would look at their type first, and refuse what is none. */
const WITH_BODY = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY']

/** Everything that is declared under an address. */
export type Declared = { readonly endpoints: readonly Endpoint[]; readonly pages: readonly Page[] }

export function createHttpServer(
  deps: Deps,
  { endpoints, pages }: Declared,
  { log, lulls }: Told,
): HttpServer {
  const requestIds = countedIds(deps)
  const metrics = new Metrics(deps, lulls)
  const observers = { log, metrics, lulls }
  const rewriteUrl = adsPaths(deps.config)
  const app = Fastify({
    logger: false,
    genReqId: ({ headers }) => takenOver(headers['x-request-id']) ?? requestIds(),
    trustProxy: deps.config.trustProxy.length === 0 ? false : [...deps.config.trustProxy],
    ...(rewriteUrl && { rewriteUrl }),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    requestTimeout: 120_000,
    http: { shouldUpgradeCallback: isSocketRequest },
    frameworkErrors: (_error, request, reply) => answerNowhere(observers, request, reply),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, requestIds()),
  })
  for (const method of WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  app.setNotFoundHandler((request, reply) => answerNowhere(observers, request, reply))
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    // What the files of the pages refuse, such as a path that leads out of them, is nothing that went wrong here.
    if (error.statusCode === 403) return answerNowhere(observers, request, reply)
    const answer = answerThrown(observers, request, error)
    const route = patternOf(request)
    return send({ ...observers, request, reply, route, start: performance.now() }, answer)
  })
  const rates = new RateLimits(deps.config.apiRates, deps.protocol.valkey)
  const sending = { atEndOfTurn: atEndOfTurn(), whenAllAreTold: whenAllAreTold() }
  const shared = { deps, ...observers, rates, repeats: new Repeats(), ...sending }
  for (const one of endpoints) register(app, shared, routeOf(one, deps.config))
  for (const one of pages) registerPage(app, shared, one)
  serveMetrics(app, shared)
  const sockets = serveSockets(app, shared)
  servePages(app)
  return {
    listen: async () => app.listen({ host: deps.config.host, port: deps.config.port }),
    close: async () => {
      sockets.close()
      await app.close().finally(() => metrics.close())
    },
  }
}

/**
 * Not an endpoint, since it has no answer. Requests to become a WebSocket go through the router like all others, so that
 * their address and their count in the log are those of all others.
 */
function serveSockets(app: FastifyInstance, { deps, ...to }: Shared): SessionSockets {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>()
  const sockets = new SessionSockets(deps, (thrown) =>
    logFailure(to.log, { requestId: 'none', route: SOCKET_PATH, secrets: [] }, thrown),
  )
  app.server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrades.set(message, { socket, head })
    const response = new ServerResponse(message)
    response.assignSocket(socket)
    // Only refusals are answered through it, and nobody else ends the connection of an upgrade.
    response.once('finish', () => socket.destroySoon())
    socket.on('error', destroyThis)
    app.routing(message, response)
  })
  app.get(SOCKET_PATH, async (request, reply) => {
    const start = performance.now()
    const upgrade = upgrades.get(request.raw)
    if (upgrade === undefined) return answerNowhere(to, request, reply)
    const limited = await limitAddress(deps, 'connectAddress', request.ip)
    if (limited) {
      const refusal = answerRefusal(limited, NO_FAILURES, request.id)
      const headers = { ...refusal.headers, connection: 'close' }
      return send({ ...to, request, reply, route: SOCKET_PATH, start }, { ...refusal, headers })
    }
    const finished = { requestId: request.id, method: 'GET', route: SOCKET_PATH, status: 101 }
    logRequest(to.log, { ...finished, ms: performance.now() - start })
    reply.hijack()
    // It would hold on to the request for as long as the connection lives.
    reply.raw.detachSocket(upgrade.socket)
    upgrade.socket.off('error', destroyThis)
    sockets.accept(request.raw, upgrade)
  })
  return sockets
}

function destroyThis(this: Socket): void {
  this.destroy()
}

/** Not an endpoint: it is for the operator's own monitoring, and what it tells is of this process alone. */
function serveMetrics(app: FastifyInstance, { deps, ...to }: Shared): void {
  app.get('/metrics', async (request, reply) => {
    const start = performance.now()
    const answer: Answer = mayReadMetrics(deps.config.metricsToken, request.raw)
      ? { status: 200, body: await to.metrics.text(), contentType: to.metrics.contentType }
      : answerRefusal(refuse('forbidden'), NO_FAILURES, request.id)
    return send({ ...to, request, reply, route: '/metrics', start }, answer)
  })
}

function servePages(app: FastifyInstance): void {
  const found = findPages()
  if (found.some(({ prefix }) => prefix === HOME)) app.get('/', (_request, reply) => reply.redirect(HOME))
  for (const pages of found) {
    const { prefix } = pages
    app.get(prefix.slice(0, -1), (_request, reply) => reply.redirect(prefix))
    app.register(staticFiles, {
      root: [...pages.roots],
      prefix,
      decorateReply: false,
      cacheControl: false,
      setHeaders: (reply, file) => {
        for (const [name, value] of Object.entries(PAGE_HEADERS)) reply.header(name, value)
        reply.header('cache-control', cachingOf(pages, file))
      },
    })
  }
}

function register(app: FastifyInstance, shared: Shared, route: Route): void {
  const { method, path, produces, isLong, response } = route.endpoint
  const { log, metrics, lulls } = shared
  const write = produces === undefined && !isLong ? writerOf(response) : undefined
  const served = { ...route, write }
  app.route({
    method,
    url: path,
    handler: (request, reply) => {
      lulls.begin()
      const start = performance.now()
      const exchange = { log, metrics, lulls, request, reply, route: path, write, start }
      answerAlways(shared, served, exchange)
    },
  })
}

/** The JSON of an answer of 200, without members that its endpoint does not declare. */
type Write = (reply: FastifyReply, body: object) => string
/** Without `write` what the endpoint answers is sent whole. */
type Served = Route & { readonly write: Write | undefined }
type Members = Record<string, unknown>

/** Compiled with the first answer: most endpoints of a service are not asked for one, and all of them take megabytes. */
function writerOf(response: Endpoint['response']): Write {
  let write: ((body: Members) => string) | undefined
  return (reply, body) => {
    write ??= reply.compileSerializationSchema(response as object as Members)
    return write(body as Members)
  }
}

/** The log has what was thrown under the request's id; what the browser shows is the page's own. */
function registerPage(app: FastifyInstance, shared: Shared, page: Page): void {
  const { deps, log, metrics, lulls } = shared
  app.route({
    method: page.method,
    url: page.path,
    handler: (request, reply) => {
      lulls.begin()
      const start = performance.now()
      const exchange = { log, metrics, lulls, request, reply, route: page.path, start }
      const answer = answerPage(deps, page, request, (thrown, secrets) =>
        recordThrown(shared, request, thrown, secrets),
      )
      void answer.then((known) =>
        sendLater(shared.whenAllAreTold, exchange, { answer: known, limits: NO_HEADERS }),
      )
    },
  })
}

/** Whatever is thrown is answered too. */
function answerAlways(shared: Shared, route: Served, exchange: Exchange): void {
  const failed = (thrown: unknown) => ({
    answer: answerThrown(shared, exchange.request, thrown),
    limits: NO_HEADERS,
  })
  const waited = (answered: Answered) => sendLater(shared.whenAllAreTold, exchange, answered)
  try {
    const answered = answerOf(shared, route, exchange)
    if (answered instanceof Promise) answered.then(waited, (thrown) => waited(failed(thrown)))
    else sendLater(shared.atEndOfTurn, exchange, answered)
  } catch (thrown) {
    sendLater(shared.atEndOfTurn, exchange, failed(thrown))
  }
}

function answerOf(shared: Shared, route: Served, { request, reply }: Exchange): Soon<Answered> {
  return walk(shared, route, request, ({ headers: limits, outcome }) => {
    const answer =
      'refused' in outcome
        ? answerRefused(shared, route, request, outcome)
        : answerCall(shared, route, reply, outcome)
    return onceThere(answer, (known) => {
      if (known.stream === undefined) return { answer: known, limits }
      return withBody(shared, request, known).then((whole) => ({ answer: whole, limits }))
    })
  })
}

async function answerRefused(
  { deps, repeats }: Shared,
  { endpoint }: Route,
  { id }: FastifyRequest,
  { refused, repeatable }: RefusedWalk,
): Promise<Answer> {
  const before = repeatable && (await repeats.again(deps, repeatable))
  return before ?? answerRefusal(refused, endpoint.failures, id)
}

function answerCall(
  shared: Shared,
  { endpoint, write }: Served,
  reply: FastifyReply,
  { call, repeatable }: CalledWalk,
): Soon<Answer> {
  const { id } = reply.request
  const perform = (on: Deps) =>
    onceThere(endpoint.handle(call, on), (outcome) => answerOutcome(endpoint, outcome, id))
  if (repeatable === undefined) return perform(shared.deps)
  return answerRepeatable(shared, id, repeatable, async (on) => {
    const given = await perform(on)
    return { ...given, body: textOf(reply, given, write) }
  })
}

async function answerRepeatable(
  { deps, repeats }: Shared,
  requestId: string,
  repeatable: Repeatable,
  perform: (on: Deps) => Promise<Answer>,
): Promise<Answer> {
  const answer = await repeats.answer(deps, repeatable, perform)
  return answer instanceof Refused ? answerRefusal(answer, NO_FAILURES, requestId) : answer
}

/** What fails after the first pieces were sent can only be told by breaking off, and by the log. */
async function withBody(to: Observers, request: FastifyRequest, answer: Answer): Promise<Answer> {
  const { stream, isLive } = answer
  if (stream === undefined) return answer
  const failed = (thrown: unknown) => void answerThrown(to, request, thrown)
  return { ...answer, body: await (isLive ? readLive(stream) : readStream(stream, failed)) }
}

/** With what the rate limits say in the headers of whatever the answer is. */
type Answered = { readonly answer: Answer; readonly limits: Admission['headers'] }

type Reply = FastifyReply | undefined

type Exchange = Observers & {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Its pattern: Fastify gathers all that it knows of a route to tell it. */
  readonly route: string
  readonly write?: Write | undefined
  readonly start: number
}

/** With other answers; what cannot be written is answered as a failure. */
function sendLater(together: Together, exchange: Exchange, { answer, limits }: Answered): void {
  together(() => {
    try {
      send(exchange, answer, limits)
    } catch (thrown) {
      send(exchange, answerThrown(exchange, exchange.request, thrown))
    } finally {
      exchange.lulls.end()
    }
  })
}

/**
 * Past Fastify's own way of sending, which nothing here needs and which costs as much as reading a user. Answers the
 * reply only where Fastify still has to wait for it.
 */
function send(
  { log, metrics, request, reply, route, write, start }: Exchange,
  answer: Answer,
  limits = NO_HEADERS,
): Reply {
  const { status, body, isAscii } = answer
  const { method, id: requestId } = request
  const finished = { requestId, method, route, status, ms: performance.now() - start }
  logRequest(log, finished)
  metrics.observe(finished)
  const headers = headersOf(request, answer, { limits, isStopping: !request.server.server.listening })
  if (body instanceof Readable) return reply.code(status).headers(membersOf(headers)).send(body)
  const text = textOf(reply, answer, write)
  // Whoever asks how many bytes a long text has makes a copy of its pieces first.
  const length = isAscii ? text.length : Buffer.byteLength(text)
  headers.push('content-length', length)
  reply.hijack()
  // What is ASCII alone needs no encoding, which Node does not see by itself.
  reply.raw.writeHead(status, headers).end(text, length === text.length ? 'latin1' : 'utf8')
  return undefined
}

function textOf(reply: FastifyReply, { status, body }: Answer, write?: Write): string {
  if (typeof body === 'string') return body
  return status === 200 && write !== undefined ? write(reply, body) : JSON.stringify(body)
}

function answerNowhere(to: Observers, request: FastifyRequest, reply: FastifyReply): Reply {
  const answer = answerRefusal(refuse('invalid_endpoint'), NO_FAILURES, request.id)
  return send({ ...to, request, reply, route: patternOf(request), start: performance.now() }, answer)
}

/** Everything that was thrown is a bug or an outage: the log has it under the request's id, the caller only the id. */
function answerThrown(to: Observers, request: FastifyRequest, thrown: unknown): Answer {
  recordThrown(to, request, thrown)
  const isLater = isUnavailable(thrown) || thrown instanceof ValkeyUnavailable
  const refused = isLater ? refuse('unavailable', { retry_after: 1 }) : refuse('internal')
  return answerRefusal(refused, NO_FAILURES, request.id)
}

function recordThrown(
  { log, metrics }: Observers,
  request: FastifyRequest,
  thrown: unknown,
  others: readonly string[] = [],
): void {
  const { headers, params, query } = request
  const inPath = Object.values(params as Record<string, string>)
  const secrets = [tokenOf(headers), apiKeyIn(query), ...inPath, ...others]
  logFailure(log, { requestId: request.id, route: patternOf(request), secrets }, thrown)
  metrics.countFailure()
}

function patternOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}
