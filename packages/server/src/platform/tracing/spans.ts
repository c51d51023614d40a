/** Pieces of work for traces. Without a collector there are none, and each of these functions does nothing. */

export type Attributes = Readonly<Record<string, string | number | boolean>>
export type Begin = {
  readonly attributes?: Attributes
  /** Who asked for it: another program, or the service another one. Work of the service itself unless given. */
  readonly kind?: 'server' | 'client'
  /** The header `traceparent` of a request, whose trace is continued. */
  readonly parent?: string | undefined
}

export type Spans = {
  /** What begins in a span is below it. */
  begin(name: string, given?: Begin): Span
}
export type Span = Spans & {
  /** 32 hexadecimal digits; undefined where nothing is recorded. */
  readonly traceId: string | undefined
  /** `failure` is the kind of an error, such as its class or a status, and never its text, which may hold a secret. */
  end(attributes?: Attributes, failure?: string): void
}

export const noSpan: Span = { traceId: undefined, begin: () => noSpan, end: () => {} }

export type Tracing = {
  readonly spans: Spans
  /** Sends what is left, for as long as a stop allows. */
  close(): Promise<void>
}

export const noTracing: Tracing = { spans: noSpan, close: async () => {} }

/** Does the work within a span. `tell` says what came of it. */
export async function within<T>(
  span: Span,
  work: () => Promise<T>,
  tell: (value: T) => Attributes = () => ({}),
): Promise<T> {
  try {
    const value = await work()
    span.end(tell(value))
    return value
  } catch (error) {
    span.end({}, classOf(error))
    throw error
  }
}

export function classOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
