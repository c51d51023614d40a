/**
 * Creates a span per request. Its name and attributes follow OpenTelemetry's conventions for HTTP, except for
 * the URL, which can contain an API key. Source:
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Attributes, Span, Spans } from '../platform/tracing/spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if no collector is configured. */
    span: Span | undefined
  }
}

/** All other methods are arbitrary strings from the caller. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])

type Asked = Pick<IncomingMessage, 'method' | 'headers'> & {
  /** The route pattern, or undefined if none matched. */
  readonly route: string | undefined
  readonly id: string
}

export class RequestSpans {
  readonly #spans: Spans
  readonly #place: Attributes

  constructor(spans: Spans, config: Config) {
    this.#spans = spans
    this.#place = placeOf(config)
  }

  begin({ method = '', headers: { traceparent }, route, id }: Asked): Span {
    const verb = METHODS.has(method) ? method : undefined
    const name = [verb ?? 'HTTP', route].filter((word) => word !== undefined).join(' ')
    return this.#spans.begin(name, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : undefined,
      attributes: {
        ...this.#place,
        'http.request.method': verb ?? '_OTHER',
        ...(route !== undefined && { 'http.route': route }),
        'scriptward.request_id': id,
      },
    })
  }

  /**
   * The span lasts until the connection is done with the request, even if the client has disconnected by
   * then. The request's log lines contain the trace ID.
   */
  follow(request: FastifyRequest, { raw }: FastifyReply): void {
    const { method, headers, id, routeOptions } = request
    const span = this.begin({ method, headers, route: routeOptions.url, id })
    request.span = span
    if (span.traceId !== undefined) request.log = request.log.child({ trace_id: span.traceId })
    raw.once('close', () => endSpan(span, raw.headersSent ? raw.statusCode : undefined))
  }
}

/** The span has no status if nothing was sent. */
export function endSpan(span: Span, status: number | undefined): void {
  if (status === undefined) span.end()
  else span.end({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined)
}

/** Returns the server's public URL. The host in the request isn't used, because the caller chooses it. */
function placeOf({ baseUrl, host, port }: Config): Attributes {
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  const scheme = url?.protocol.slice(0, -1) ?? 'http'
  const usual = scheme === 'https' ? 443 : 80
  return {
    'url.scheme': scheme,
    'server.address': url?.hostname ?? host,
    'server.port': url === undefined ? port : Number(url.port) || usual,
  }
}
