/** Runs a local trace collector for OTLP/HTTP with JSON, the format in which the server sends traces. */
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './webhooks/receiver.ts'

type Value = { readonly stringValue?: string; readonly intValue?: number }
type Attribute = { readonly key: string; readonly value: Value }
export type SentSpan = {
  readonly name: string
  /** 1: internal, 2: a request received by the server, 3: a request made by the server. */
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly status: { readonly code: number; readonly message?: string }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}
type Sent = Omit<SentSpan, 'attributes'> & { readonly attributes: readonly Attribute[] }
type Body = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Sent[] }[]
  }[]
}

export type Collector = {
  /** Value for `SCRIPTWARD_OTLP_URL`. */
  readonly url: string
  /** All received bodies, verbatim. */
  readonly bodies: readonly string[]
  readonly headers: readonly IncomingHttpHeaders[]
  spans(): SentSpan[]
  /** The resource attributes of each body. */
  resources(): Record<string, string | number | undefined>[]
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const { port, close } = await listen(async (request, response) => {
    headers.push({ ':path': request.url, ...request.headers })
    bodies.push(await text(request))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const parts = () => bodies.flatMap((body) => (JSON.parse(body) as Body).resourceSpans)
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    headers,
    spans: () =>
      parts()
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map((span) => ({ ...span, attributes: membersOf(span.attributes) })),
    resources: () => parts().map(({ resource }) => membersOf(resource.attributes)),
    close,
  }
}

function membersOf(attributes: readonly Attribute[]): SentSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
}
