/**
 * The OpenAPI document as consumers see it: operations, parameters and possible responses. The document is
 * serialized to JSON and parsed again, which drops values that JSON can't represent.
 */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { endpoints } from '../../src/endpoints.ts'
import { describeApi } from '../../src/reference/openapi.ts'
import { resolved } from '../documents.ts'

export type Schema = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}
export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}
export type Response = {
  readonly mediaType: string
  readonly schema: Schema
  readonly validator: Validator
  /** Maps the reasons of an error to codes. */
  readonly codes: Readonly<Record<string, number>>
}
export type Operation = {
  readonly name: string
  readonly method: string
  /** `{noun}` marks a parameter. */
  readonly path: string
  readonly isOpen: boolean
  readonly isForOperators: boolean
  /** Whether the operation is limited to signed-in users. */
  readonly isForPeople: boolean
  readonly parameters: readonly Parameter[]
  readonly body: { readonly mediaType: string; readonly schema: Schema } | undefined
  /** Responses by status. Errors that the document only summarizes as `default` do not count as declared. */
  readonly responses: ReadonlyMap<number, readonly Response[]>
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: object }>>
type RawOperation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content: Content }>>
}

export function readOperations(): Operation[] {
  const document = resolved<RawOperation>(describeApi(endpoints, '0'))
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, raw]) =>
      operationOf([method, path], { security: document.security, ...raw }),
    ),
  )
}

function operationOf(
  [method, path]: [string, string],
  raw: Required<Pick<RawOperation, 'security'>> & RawOperation,
): Operation {
  const declared = Object.entries(raw.responses).filter(([status]) => /^\d+$/.test(status))
  const [body] = Object.entries(raw.requestBody?.content ?? {})
  return {
    name: raw.operationId,
    method: method.toUpperCase(),
    path,
    isOpen: raw.security.length === 0 && !path.includes('{api_key}'),
    isForOperators: raw.tags.includes('operators'),
    isForPeople: raw.security.length > 0 && raw.security.every((one) => 'cookie' in one),
    parameters: raw.parameters,
    body: body && { mediaType: body[0], schema: body[1].schema },
    responses: new Map(
      declared.map(([status, { content }]) => [Number(status), Object.entries(content).map(responseOf)]),
    ),
  }
}

/** One of the response's content types. */
function responseOf([mediaType, { schema, examples = {} }]: [string, Content[string]]): Response {
  const codes = Object.entries(examples).map(([reason, { value }]) => [reason, value.error.code] as const)
  let validator: Validator | undefined
  return {
    mediaType,
    schema,
    // Compiling takes time, and few responses occur in one run.
    get validator() {
      validator ??= Compile(schema as TSchema)
      return validator
    },
    codes: Object.fromEntries(codes),
  }
}
