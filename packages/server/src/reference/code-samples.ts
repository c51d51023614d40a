/**
 * One call of an operation in curl, JavaScript, Lua and Python, made from its examples. The credential is read from the
 * environment, so that no sample teaches to write one into a file.
 */
import type { Endpoint } from '../api/endpoint.ts'
import { exampleFor } from './examples.ts'

export type Sample = { readonly lang: string; readonly label: string; readonly source: string }

type Sent = {
  readonly method: string
  readonly url: string
  readonly path: Record<string, unknown>
  readonly query: Record<string, unknown>
  readonly headers: Readonly<Record<string, Value>>
  /** JSON, or a text as it is. */
  readonly body: unknown
}
/** A text, or the name of a variable of the environment with what comes before its value. */
type Value = string | { readonly variable: string; readonly before?: string }

/** Where the reader's program finds a variable; this service reads none of them. */
const IN_NODE = ['process', 'env'].join('.')
const KEY = { authorization: { variable: 'SCRIPTWARD_TOKEN', before: 'Bearer ' } }
/** What a browser sends for a person who is signed in. */
const SIGN_IN = {
  cookie: { variable: 'SCRIPTWARD_COOKIE' },
  'x-scriptward-csrf': { variable: 'SCRIPTWARD_CSRF' },
}

/** `address` is that of the service, without a slash at its end. */
export function samplesOf(endpoint: Endpoint, address: string): Sample[] {
  const sent = sentBy(endpoint, address)
  return [
    { lang: 'shell', label: 'curl', source: curl(sent, endpoint.produces === 'events') },
    { lang: 'javascript', label: 'JavaScript', source: javascript(endpoint, sent, address) },
    { lang: 'lua', label: 'Lua', source: lua(sent, endpoint.produces === 'events') },
    { lang: 'python', label: 'Python', source: python(sent, endpoint) },
  ]
}

function sentBy(endpoint: Endpoint, address: string): Sent {
  const path = objectOf(exampleFor(endpoint, 'params'))
  const query = objectOf(exampleFor(endpoint, 'query'))
  const takesBody = endpoint.method !== 'GET'
  const body = takesBody ? exampleFor(endpoint, 'body') : undefined
  const type = endpoint.consumes === 'text' ? 'text/plain' : 'application/json'
  return {
    method: endpoint.method,
    url: `${address}${pathWith(endpoint.path, path)}${queryOf(query)}`,
    path,
    query,
    headers: { ...credentialOf(endpoint), ...(body === undefined ? {} : { 'content-type': type }) },
    body,
  }
}

function credentialOf({ auth }: Endpoint): Sent['headers'] {
  if (auth === 'none' || auth === 'client' || auth === 'customerByPathKey') return {}
  return auth === 'person' ? SIGN_IN : KEY
}

function pathWith(path: string, values: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
}

function queryOf(query: Record<string, unknown>): string {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string])
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function bodyText(body: unknown, indent = 0): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, indent)
}

function curl({ method, url, headers, body }: Sent, isStream: boolean): string {
  const words = [
    `curl${isStream ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
    ...Object.entries(headers).map(([name, value]) => `-H ${inShell(name, value)}`),
    ...(body === undefined ? [] : [`-d '${bodyText(body).replaceAll("'", "'\\''")}'`]),
  ]
  return words.join(' \\\n  ')
}

function inShell(name: string, value: Value): string {
  return typeof value === 'string'
    ? `'${name}: ${value}'`
    : `"${name}: ${value.before ?? ''}$${value.variable}"`
}

/** The SDK has every operation of software; those of the sign-in pages and of protected scripts are plain requests. */
export function isInSdk({ path, auth, produces }: Endpoint): boolean {
  return !/^\/(client|v1\/auth)\//.test(path) && auth !== 'person' && produces !== 'events'
}

/** As the generator of the SDK names the call of an operation. */
export function sdkName({ name }: Endpoint): string {
  return name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function javascript(endpoint: Endpoint, sent: Sent, address: string): string {
  return isInSdk(endpoint) ? bySdk(endpoint, sent, address) : byFetch(sent, endpoint)
}

function bySdk(endpoint: Endpoint, { path, query, body, headers }: Sent, address: string): string {
  const name = sdkName(endpoint)
  const key = 'authorization' in headers ? [`  apiKey: ${IN_NODE}.${KEY.authorization.variable},`] : []
  const parts = Object.entries({ path, query, body: objectOf(body) }).filter(
    ([part, value]) => Object.keys(value).length > 0 || (part === 'body' && body !== undefined),
  )
  return [
    `import { connect, ${name} } from '@scriptward/sdk'`,
    '',
    'const client = connect({',
    `  baseUrl: ${inJavaScript(address)},`,
    ...key,
    '})',
    `const { data } = await ${name}({`,
    '  client,',
    ...parts.map(([part, value]) => `  ${part}: ${inJavaScript(value, '  ')},`),
    '  throwOnError: true,',
    '})',
    'console.log(data)',
  ].join('\n')
}

function byFetch({ method, url, headers, body }: Sent, { produces }: Endpoint): string {
  const given = Object.entries(headers).map(([name, value]) => {
    const text = typeof value === 'string' ? `'${value}'` : variableInJavaScript(value)
    return `    ${/^\w+$/.test(name) ? name : `'${name}'`}: ${text},`
  })
  const sent = typeof body === 'string' ? inJavaScript(body) : `JSON.stringify(${inJavaScript(body, '  ')})`
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(given.length === 0 ? [] : ['  headers: {', ...given, '  },']),
    ...(body === undefined ? [] : [`  body: ${sent},`]),
  ]
  const call = options.length === 0 ? [`fetch('${url}')`] : [`fetch('${url}', {`, ...options, '})']
  return [`const answer = await ${call.join('\n')}`, READ_BY_FETCH[produces ?? 'json'] ?? ''].join('\n')
}

function variableInJavaScript({ variable, before }: Exclude<Value, string>): string {
  const value = `${IN_NODE}.${variable}`
  return before === undefined ? value : `\`${before}$\{${value}}\``
}

const READ_BY_FETCH: Readonly<Record<string, string>> = {
  json: 'console.log(await answer.json())',
  stream: 'console.log(await answer.json())',
  text: 'console.log(await answer.text())',
  events: [
    'for await (const part of answer.body.pipeThrough(new TextDecoderStream()))',
    '  console.log(part)',
  ].join('\n'),
}

function inJavaScript(value: unknown, indent = ''): string {
  if (typeof value === 'string') return /['\\\n]/.test(value) ? JSON.stringify(value) : `'${value}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const inner = `${indent}  `
  const entries = Array.isArray(value)
    ? value.map((entry) => inJavaScript(entry, inner))
    : Object.entries(value).map(
        ([name, member]) => `${nameInJavaScript(name)}: ${inJavaScript(member, inner)}`,
      )
  const [begin, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return begin + end
  return `${begin}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}${end}`
}

function nameInJavaScript(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
}

function lua({ method, url, headers, body }: Sent, isStream: boolean): string {
  const given = Object.entries(headers).map(([name, value]) => {
    const text = typeof value === 'string' ? `"${value}"` : variableIn(value, 'os.getenv', ['(', ')'], ' .. ')
    return `    ["${name}"] = ${text},`
  })
  const length = body === undefined ? [] : ['    ["content-length"] = tostring(#body),']
  return [
    `local url = "${url}"`,
    'local http = require(url:find("^https:") and "ssl.https" or "socket.http")',
    'local ltn12 = require("ltn12")',
    ...(body === undefined ? [] : [`local body = ${inLua(bodyText(body))}`]),
    ...(isStream ? [] : ['local parts = {}']),
    'local _, status = http.request({',
    '  url = url,',
    `  method = "${method}",`,
    ...(given.length === 0 ? [] : ['  headers = {', ...given, ...length, '  },']),
    ...(body === undefined ? [] : ['  source = ltn12.source.string(body),']),
    `  sink = ${isStream ? 'ltn12.sink.file(io.stdout)' : 'ltn12.sink.table(parts)'},`,
    '})',
    isStream ? 'print(status)' : 'print(status, table.concat(parts))',
  ].join('\n')
}

function variableIn(
  { variable, before }: Exclude<Value, string>,
  table: string,
  [open, close]: readonly [string, string],
  joint: string,
): string {
  return `${before === undefined ? '' : `"${before}"${joint}`}${table}${open}"${variable}"${close}`
}

function inLua(text: string): string {
  return text.includes(']]') ? `[==[${text}]==]` : `[[${text}]]`
}

function python({ method, url, headers, body }: Sent, { produces }: Endpoint): string {
  const given = Object.entries(headers).map(([name, value]) => {
    const text = typeof value === 'string' ? `"${value}"` : variableIn(value, 'os.environ', ['[', ']'], ' + ')
    return `        "${name}": ${text},`
  })
  const usesOs = Object.values(headers).some((value) => typeof value !== 'string')
  const isJson = body !== undefined && typeof body !== 'string'
  const readsJson = produces === undefined || produces === 'stream'
  const modules = [...(isJson || readsJson ? ['json'] : []), ...(usesOs ? ['os'] : []), 'urllib.request']
  const data = isJson ? `json.dumps(${inPython(body)}).encode()` : `${inPython(body)}.encode()`
  return [
    `import ${modules.join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `    "${url}",`,
    `    method="${method}",`,
    ...(given.length === 0 ? [] : ['    headers={', ...given, '    },']),
    ...(body === undefined ? [] : [`    data=${data.replaceAll('\n', '\n    ')},`]),
    ')',
    'with urllib.request.urlopen(request) as answer:',
    ...(READ_IN_PYTHON[produces ?? 'json'] ?? []),
  ].join('\n')
}

const READ_IN_PYTHON: Readonly<Record<string, readonly string[]>> = {
  json: ['    print(json.load(answer))'],
  stream: ['    print(json.load(answer))'],
  text: ['    print(answer.read().decode())'],
  events: ['    for line in answer:', '        print(line.decode().rstrip())'],
}

/** Python writes texts, numbers and lists as JSON does, but for three words. */
function inPython(value: unknown): string {
  const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
  return JSON.stringify(value ?? '', null, 4).replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (word) => words[word] ?? word,
  )
}
