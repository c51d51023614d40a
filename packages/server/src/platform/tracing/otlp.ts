/**
 * Exports spans to a collector over OTLP/HTTP. Only `start.ts` loads this file, and only when a collector is
 * configured, because the libraries use memory. Their process-wide state is not used here.
 */
import {
  type Attributes as ApiAttributes,
  type Span as ApiSpan,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Begin, Span, Tracing } from './spans.ts'

/** `url` is the collector's base URL without `/v1/traces`. */
export type Collector = { readonly url: string; readonly headers: Readonly<Record<string, string>> }
/** Resource attributes of every span. */
export type Origin = { readonly version: string; readonly instance: string }

/** Timeout for one export, including its retries. */
const SEND_MS = 5000
/** Timeout for the last export during shutdown, which may take nine seconds in total. */
const LAST_SPANS_MS = 2000

export function openOtlp({ url, headers }: Collector, origin: Origin, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, headers, timeoutMillis: SEND_MS })
  const batches = new BatchSpanProcessor({
    exporter: reporting(exporter, log),
    exportTimeoutMillis: 2 * SEND_MS,
  })
  const resource = resourceFromAttributes({
    'service.name': 'scriptward',
    'service.version': origin.version,
    'service.instance.id': origin.instance,
  })
  const provider = new TracerProvider({ resource, spanProcessors: [batches] })
  const tracer = provider.getTracer('scriptward', origin.version)
  return {
    spans: { begin: (name, given) => begin(tracer, ROOT_CONTEXT, { name, ...given }) },
    close: () => Promise.race([provider.shutdown().catch(() => {}), patience()]),
  }
}

function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LAST_SPANS_MS).unref())
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const

type Named = Begin & { readonly name: string }

function begin(tracer: Tracer, below: Context, { name, kind, parent, attributes = {} }: Named): Span {
  const context = contextOf(below, parent)
  const options = {
    kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
    attributes: attributes as ApiAttributes,
  }
  const span = tracer.startSpan(name, options, context)
  return {
    traceId: span.isRecording() ? span.spanContext().traceId : undefined,
    begin: (next, given) => begin(tracer, trace.setSpan(ROOT_CONTEXT, span), { name: next, ...given }),
    end: (more = {}, failure) => end(span, more as ApiAttributes, failure),
  }
}

/**
 * Callers can set only the trace that their request belongs to. Anything else would be exported unchecked.
 */
function contextOf(below: Context, parent: string | undefined): Context {
  const remote = parent === undefined ? null : parseTraceParent(parent)
  return remote === null ? below : trace.setSpanContext(below, { ...remote, isRemote: true })
}

function end(span: ApiSpan, attributes: ApiAttributes, failure: string | undefined): void {
  span.setAttributes(attributes)
  if (failure !== undefined) {
    span.setAttribute('error.type', failure)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

/**
 * Logs one warning when the collector becomes unreachable, and one line when it is reachable again. Rejected
 * spans are dropped.
 */
function reporting(exporter: SpanExporter, log: Logger): SpanExporter {
  let isDown = false
  const note = (isFailed: boolean, error: Error | undefined) => {
    if (isFailed && !isDown)
      log.warn({ error: reasonOf(error) }, 'traces cannot be sent to SCRIPTWARD_OTLP_URL')
    if (!isFailed && isDown) log.info('traces are sent again')
    isDown = isFailed
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result.code !== ExportResultCode.SUCCESS, result.error)
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

/**
 * Returns a network error code or a status, but no message, because messages may quote the collector's
 * response.
 */
function reasonOf(error: Error | undefined): string | number {
  const { code } = { ...error } as { code?: string | number }
  return code ?? error?.name ?? 'unknown'
}
