/** Spans for tracing. Without a collector, these functions do nothing. */

export type Attributes = Readonly<Record<string, string | number | boolean>>
export type Begin = {
  readonly attributes?: Attributes
  /**
   * Whether the span represents an incoming or an outgoing request. By default, it represents internal work.
   */
  readonly kind?: 'server' | 'client'
  /** The `traceparent` header of a request, to continue its trace. */
  readonly parent?: string | undefined
}

export type Spans = {
  /** Starts a child span. */
  begin(name: string, given?: Begin): Span
}
export type Span = Spans & {
  /** 32 hexadecimal digits. Undefined if nothing is recorded. */
  readonly traceId: string | undefined
  /** `failure` is an error class or status, but never a message, because messages may contain secrets. */
  end(attributes?: Attributes, failure?: string): void
}

export const noSpan: Span = { traceId: undefined, begin: () => noSpan, end: () => {} }

export type Tracing = {
  readonly spans: Spans
  /** Exports the remaining spans within the shutdown timeout. */
  close(): Promise<void>
}

export const noTracing: Tracing = { spans: noSpan, close: async () => {} }

/** Runs the work within a span. `tell` returns attributes that describe the result. */
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
