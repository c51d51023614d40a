/** A call of the API as text that works with a token in `SCRIPTWARD_TOKEN`. */
import type { Call } from '../../queries/api-call-log.ts'

/** Method, pattern of the path with the names of its members, and name of the function of the SDK. */
export type Operations = readonly {
  readonly method: string
  readonly pattern: RegExp
  readonly names: readonly string[]
  readonly fn: string
}[]

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>
}

/** Every operation of an OpenAPI document; the SDK names its functions after them. */
export function operationsIn({ paths }: Document): Operations {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      operationId === undefined
        ? []
        : [
            {
              method: method.toUpperCase(),
              pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
              names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
              fn: operationId.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
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
  const values = found.pattern.exec(pathname)?.slice(1) ?? []
  const members = [
    [
      'path',
      Object.fromEntries(found.names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')])),
    ],
    ['query', Object.fromEntries(new URLSearchParams(query))],
  ] as const
  const given = members.filter(([, value]) => Object.keys(value).length > 0)
  const lines = [
    ...given.map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`),
    ...(body === '' ? [] : [`  body: ${body},`]),
  ]
  return [
    `import { connect, ${found.fn} } from '@scriptward/sdk'`,
    '',
    `const client = connect({ baseUrl: '${origin}', apiKey: process.env.SCRIPTWARD_TOKEN })`,
    `const { data } = await ${found.fn}({`,
    '  client,',
    ...lines,
    '})',
  ].join('\n')
}
