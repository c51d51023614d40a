/** Formats an API call as code that authenticates with `SCRIPTWARD_TOKEN`. */
import type { Call } from '../../queries/api-call-log.ts'

/** Maps request patterns to SDK methods. Requests from the auth pages have no SDK method. */
export type Operations = readonly {
  readonly method: string
  readonly pattern: RegExp
  readonly sdkMethod: string
}[]

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { 'x-sdk-method'?: string }>>>>
}

/** Returns those operations of an OpenAPI document that the SDK supports. */
export function operationsIn({ paths }: Document): Operations {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { 'x-sdk-method': sdkMethod }]) =>
      sdkMethod === undefined
        ? []
        : [
            {
              method: method.toUpperCase(),
              pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
              sdkMethod,
            },
          ],
    ),
  )
}

export function curlOf({ method, path, body }: Call, origin: string): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${origin}${path}'`,
    '-H "token: $SCRIPTWARD_TOKEN"',
    ...(body === '' ? [] : [`-H 'content-type: application/json'`, `-d '${body.replaceAll("'", `'\\''`)}'`]),
  ]
  return lines.join(' \\\n  ')
}

export function sdkOf({ method, path, body }: Call, origin: string, operations: Operations): string {
  const [pathname = '', query = ''] = path.split('?')
  const found = operations.find((each) => each.method === method && each.pattern.test(pathname))
  if (found === undefined) return `// ${method} ${path}`
  const inPath = found.pattern.exec(pathname)?.slice(1) ?? []
  const values = inPath.map((value) => JSON.stringify(decodeURIComponent(value)))
  const input = body || (query && JSON.stringify(Object.fromEntries(new URLSearchParams(query))))
  return [
    "import { Scriptward } from '@scriptward/sdk'",
    '',
    `const scriptward = new Scriptward({ url: '${origin}', token: process.env.SCRIPTWARD_TOKEN })`,
    `await scriptward.${found.sdkMethod}(${[...values, ...(input ? [input] : [])].join(', ')})`,
  ].join('\n')
}
