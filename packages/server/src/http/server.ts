/**
 * The HTTP server: Fastify with every endpoint and page, the hooks that all requests share, and the responses
 * to requests without an endpoint. `pipeline.ts` handles the requests of endpoints.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Endpoint } from '../api/endpoint.ts'
import type { Page } from '../api/page.ts'
import { type Refused, refuse } from '../api/refusals.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { leaveBlockedPort } from './blocked-ports.ts'
import { BodyPace } from './bodies/body-pace.ts'
import { BodyRoom } from './bodies/body-room.ts'
import { compileInput, InvalidInput } from './bodies/validate.ts'
import { limitConnections, unusedConnections } from './connections.ts'
import { apiKeyIn, tokenOf } from './credential.ts'
import { dropPorts } from './forwarded-ports.ts'
import { Idempotency } from './idempotency.ts'
import { LiveRequests } from './live-requests.ts'
import { logAbort, logFailure, logRequest, patternOf, requestIdOf } from './log.ts'
import { Metrics, mayReadMetrics } from './metrics.ts'
import { addGuide } from './pages/guide.ts'
import { addPage, adsRewrite, respondUnknown } from './pages/pages.ts'
import { addStaticPages } from './pages/static-files.ts'
import { addEndpoint } from './pipeline.ts'
import { RateLimits } from './rate-limits.ts'
import { RequestSpans } from './request-spans.ts'
import {
  type CommonHeaders,
  commonHeaders,
  mustCloseAfter,
  refuseThrown,
  respond,
  respondRefusal,
  writeRefusal,
} from './respond.ts'
import { warnOfUnknownProxy } from './unknown-proxy.ts'
import { isSocketRequest, SessionSockets } from './websocket.ts'

export type HttpServer = {
  /** Starts listening and returns the URL that is reachable from this machine. */
  listen(): Promise<string>
  /** Stops accepting requests, and resolves when all requests in flight have been answered. */
  close(): Promise<void>
  /** Ends streams and waiting requests whose callers have lost access. */
  reviewLongRequests(): Promise<void>
}

/** All endpoints and pages that the server routes. */
export type Declared = { readonly endpoints: readonly Endpoint[]; readonly pages: readonly Page[] }

const REQUEST_TIMEOUT_MS = 120_000
/** Interval at which Node checks connections for timeouts. */
const CHECK_EVERY_MS = 5000
/**
 * Maximum time that requests in flight may take during a shutdown. The rest of the shutdown time is for
 * saving counts from memory.
 */
const LAST_REQUESTS_MS = 7000
/** Time that a client gets to read why its connection was closed. */
const LINGER_MS = 2000
/** The longest URL that Node reads. Endpoint schemas limit parameters. */
const MAX_PARAM_LENGTH = 16_384

export function createHttpServer(deps: Deps, { endpoints, pages }: Declared, log: Logger): HttpServer {
  const metrics = new Metrics(deps)
  const long = new LiveRequests(deps)
  const failed: Failed = (request, thrown, secrets = []) => {
    logFailure(
      request.log,
      { route: patternOf(request), secrets: [...secretsOf(request), ...secrets] },
      thrown,
    )
    metrics.countFailure()
  }
  const finished: Finished = (request, reply) => {
    logRequest(request, reply)
    metrics.observe(request, reply)
  }
  const spans = deps.config.otlp && new RequestSpans(deps.spans, deps.config)
  const app = openApp(deps.config, log, { finished, spans })
  addHooks(app, {
    common: commonHeaders(deps.config),
    finished,
    meet: warnOfUnknownProxy(deps.config.trustProxy, deps),
  })
  app.setNotFoundHandler((_request, reply) => respondUnknown(reply))
  app.setErrorHandler((error: FastifyError, request, reply) => respondError(error, request, reply, failed))
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => metrics.trackRunning(reply))
    const rates = new RateLimits(deps.config.apiRates, deps.limits)
    const bodies = { room: new BodyRoom(), pace: new BodyPace() }
    const pipeline = { deps, rates, idempotency: new Idempotency(), long, ...bodies, failed }
    for (const one of endpoints) addEndpoint(scope, pipeline, one)
    for (const one of pages) addPage(scope, deps, one, failed)
  })
  addMetrics(app, deps.config, metrics)
  addStaticPages(app)
  addGuide(app, deps.config.baseUrl ?? '')
  limitConnections(app.server, deps.config, { log, now: deps.now })
  for (const event of ['request', 'upgrade']) app.server.prependListener(event, dropPorts)
  const unused = unusedConnections(app.server)
  const sockets = new SessionSockets(deps, log)
  app.server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    void sockets.accept(message, socket, head)
  })
  return {
    listen: () => listen(app, deps.config),
    close: async () => {
      sockets.close()
      const patience = setTimeout(() => app.server.closeAllConnections(), LAST_REQUESTS_MS)
      const closed = app.close().finally(() => metrics.close())
      for (const socket of unused) socket.destroy()
      await closed
      clearTimeout(patience)
    },
    reviewLongRequests: () => long.review(),
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  const url = await app.listen({ host, port })
  if (port !== 0) return url
  const allowed = await leaveBlockedPort(app.server, host)
  return url.replace(/:\d+$/, `:${allowed}`)
}

/** Logs and counts a completed request. */
type Finished = (request: FastifyRequest, reply: FastifyReply) => void
/** Logs and counts an exception, without the request's credentials and without `secrets`. */
type Failed = (request: FastifyRequest, thrown: unknown, secrets?: readonly string[]) => void

type Watching = { readonly finished: Finished; readonly spans: RequestSpans | undefined }

function openApp(config: Config, log: Logger, { finished, spans }: Watching): FastifyInstance {
  const rewriteUrl = adsRewrite(config)
  const common = commonHeaders(config)
  const app: FastifyInstance = Fastify({
    // Fastify's own lines duplicate those of `main.ts` or contain URLs, which can contain API keys.
    loggerInstance: log.child(
      {},
      { level: log.isLevelEnabled('warn') ? 'warn' : log.level },
    ) as FastifyBaseLogger,
    childLoggerFactory: (_own, bindings) => log.child(bindings),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestIdOf,
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    ...(rewriteUrl && { rewriteUrl }),
    bodyLimit: config.bodyLimit,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      shouldUpgradeCallback: isSocketRequest,
      headersTimeout: config.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, config.headersTimeoutMs),
    },
    frameworkErrors: (_error, request, reply) => {
      // Fastify calls no hooks for URLs that it can't decode.
      spans?.follow(request, reply)
      reply.headers({ ...common, 'x-request-id': request.id })
      reply.raw.once('finish', () => finished(request, reply))
      respondUnknown(reply)
    },
    clientErrorHandler: (error, socket) => respondMalformed(error, socket, common),
  })
  // The content types of an endpoint are checked after its caller is known.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer) => bytes,
  )
  app.setValidatorCompiler(compileInput)
  app.decorateRequest('subject', undefined)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('span', undefined)
  if (spans) app.addHook('onRequest', async (request, reply) => spans.follow(request, reply))
  return app
}

type Hooks = {
  readonly common: CommonHeaders
  readonly finished: Finished
  /** Detects a proxy that is not trusted. */
  readonly meet: ReturnType<typeof warnOfUnknownProxy>
}

function addHooks(app: FastifyInstance, { common, finished, meet }: Hooks): void {
  app.addHook('onRequest', async (request, reply) => {
    meet(request.raw)
    reply.headers({ ...common, 'x-request-id': request.id })
    // Responds before the request's body is read.
    if (request.is404) return respondUnknown(reply)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    // A kept-alive connection would delay the shutdown.
    const { bodyLimit } = request.routeOptions
    if (!app.server.listening || mustCloseAfter(request.raw, bodyLimit)) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onRequestAbort', async (request) => logAbort(request))
  app.addHook('onResponse', async (request, reply) => finished(request, reply))
}

/**
 * This isn't declared as an endpoint, because it serves the operator's monitoring and describes only this
 * process.
 */
function addMetrics(app: FastifyInstance, { metricsToken }: Config, metrics: Metrics): void {
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(metricsToken, request.raw)) return respondRefusal(reply, refuse('forbidden'))
    return respond(reply, { status: 200, body: await metrics.text(), contentType: metrics.contentType })
  })
}

function respondError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  failed: Failed,
): FastifyReply {
  if (request.is404) return respondUnknown(reply)
  const refused = refusalOf(error, request)
  // Fastify closes the connection after a rejected body, and a client that is still sending could miss the
  // response. Removing a header that was never set keeps Node from adding its own.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  if (refused !== undefined) return respondRefusal(reply, request.refusal ?? refused)
  failed(request, error)
  return respondRefusal(reply, refuseThrown(error))
}

/**
 * Converts the errors that Fastify raises when it rejects a request. Returns undefined for all others, which
 * are bugs or outages.
 */
function refusalOf(error: FastifyError, { routeOptions, raw }: FastifyRequest): Refused | undefined {
  const { code, statusCode = 500 } = error
  // The client disconnected while sending the body, so no one receives the response.
  if (code === 'ECONNRESET' && raw.destroyed && !raw.complete) return refuse('invalid_request')
  // A parameter that doesn't match its schema can't be the ID of anything.
  if (error instanceof InvalidInput)
    return error.validationContext === 'params' ? refuse('not_found') : error.refused
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refuse('too_large', { limit: routeOptions.bodyLimit })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return refuse('unsupported_media_type')
  return statusCode < 500 ? refuse('invalid_request') : undefined
}

/**
 * Handles malformed HTTP and header timeouts. There is no request yet, so the response is written to the
 * socket. The socket is then destroyed, because a client that never closes its side would keep the connection
 * open.
 */
function respondMalformed(error: NodeJS.ErrnoException, socket: Socket, common: CommonHeaders): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const end = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(end))
  socket.end(writeRefusal(refuse('invalid_request'), requestIdOf({ headers: {} }), common))
}

function secretsOf({ headers, params, query }: FastifyRequest): (string | undefined)[] {
  return [tokenOf(headers), apiKeyIn(query), ...Object.values(params as Record<string, string>)]
}
