/** Checks whether the OpenAPI document declares a given response, regardless of what caused the response. */
import type { Operation, Response, Schema } from './document.ts'

export type Received = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/**
 * Returns why the response to a request that may match any of these operations is wrong, or undefined if it
 * is correct. Without operations, the response must be the one for unknown paths.
 */
export function problemWith(operations: readonly Operation[], received: Received): string | undefined {
  if (received.status >= 500) return 'the service failed'
  if (!/^[A-Za-z0-9-]{8,64}$/.test(String(received.headers['x-request-id'])))
    return 'there is no x-request-id'
  if (isNowhere(received) || isUnreadable(received)) return undefined
  const problems = operations.map((operation) => problemOf(operation, received))
  if (problems.length === 0) return 'nothing is declared here, and something else than that was answered'
  return problems.includes(undefined) ? undefined : problems.join('; ')
}

/** The response to unknown paths and methods, which no operation declares. */
function isNowhere({ status, text }: Received): boolean {
  return status === 404 && text.includes('"type":"invalid_endpoint"') && text.startsWith('{"success":false,')
}

/** If the headers are too long, Node closes the connection, whatever the request is. */
function isUnreadable({ status, headers, text }: Received): boolean {
  return status === 400 && headers.connection === 'close' && text.includes('"type":"invalid_request"')
}

function problemOf({ responses }: Operation, received: Received): string | undefined {
  const possible = responses.get(received.status)
  if (possible === undefined) return `the status ${received.status} is not declared`
  const given = String(received.headers['content-type']).split(';')[0]
  const response = possible.find(({ mediaType }) => mediaType === given)
  if (response === undefined) return `the content type ${given} is not declared`
  const value = readBody(response, received.text)
  if (value instanceof Error) return `the body cannot be read: ${value.message}`
  if (!response.validator.Check(value))
    return `the body does not fit: ${JSON.stringify(response.validator.Errors(value)).slice(0, 500)}`
  if (received.status !== 200) return problemOfError(response, value)
  const stranger = strangerIn(response.schema, value)
  return stranger === undefined ? undefined : `the member "${stranger}" is not declared`
}

function readBody({ mediaType, schema }: Response, text: string): unknown {
  if (mediaType !== 'application/json' || schema.type === 'string') return text
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

function problemOfError({ codes }: Response, value: unknown): string | undefined {
  const { type, code } = (value as { error: { type: string; code: number } }).error
  if (codes[type] === undefined) return `"${type}" is not declared`
  return codes[type] === code ? undefined : `"${type}" has the code ${code} and not ${codes[type]}`
}

/** A field, at any level, that the schema does not declare. */
function strangerIn(schema: Schema, value: unknown): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (one) => strangerIn(schema.items ?? {}, one))
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return undefined
  return firstOf(Object.entries(value), ([name, member]) => {
    const known = schema.properties?.[name] ?? schema.additionalProperties
    if (known === undefined || known === false) return name
    return known === true ? undefined : strangerIn(known, member)
  })
}

function firstOf<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}
