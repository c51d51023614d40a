/**
 * One call of an operation in curl, JavaScript, Lua and Python, generated from the document's examples. The
 * samples read the credential from the environment, so that readers don't copy it into their code.
 */
import { contentOf } from './document.js'

/** Environment variables are read by the reader's program, never by this server. */
const IN_NODE = 'process.env'
const KEY = { authorization: { variable: 'SCRIPTWARD_TOKEN', before: 'Bearer ' } }
/**
 * The field that names an operation's SDK method. Auth pages, streams and unversioned paths have none, and
 * are shown as plain requests.
 */
const SDK_METHOD = 'x-sdk-method'
/** How a response is read, by media type. */
const KINDS = { 'application/json': 'json', 'text/event-stream': 'events' }
/** What a browser sends for a signed-in user. */
const SIGN_IN = {
  cookie: { variable: 'SCRIPTWARD_COOKIE' },
  'x-scriptward-csrf': { variable: 'SCRIPTWARD_CSRF' },
}

/** `operation` is one of the page's operations. `address` is the server's URL without a trailing slash. */
export function codeSamples(operation, address) {
  const sent = sentBy(operation, address)
  return [
    { lang: 'shell', label: 'curl', source: curl(sent) },
    { lang: 'javascript', label: 'JavaScript', source: javascript(operation, sent, address) },
    { lang: 'lua', label: 'Lua', source: lua(sent) },
    { lang: 'python', label: 'Python', source: python(sent) },
  ]
}

/** `body` is JSON or plain text. A header is a string or the name of an environment variable. */
function sentBy(operation, address) {
  const { method, parameters, requestBody, responses } = operation
  const path = examplesOf(parameters, 'path')
  const query = examplesOf(parameters, 'query')
  const { type, example: body } = contentOf(requestBody) ?? {}
  return {
    method,
    url: `${address}${pathWith(operation.path, path)}${queryOf(query)}`,
    path,
    query,
    headers: { ...credentialOf(operation), ...(body === undefined ? {} : { 'content-type': type }) },
    body,
    answers: KINDS[contentOf(responses[200]).type] ?? 'text',
  }
}

/** Includes only the parameters that a sample sends. */
function examplesOf(parameters, place) {
  const sent = parameters.filter((one) => one.in === place && one.example !== undefined)
  return Object.fromEntries(sent.map(({ name, example }) => [name, example]))
}

function credentialOf({ security }) {
  const has = (name) => security.some((one) => name in one)
  if (has('token')) return KEY
  return has('cookie') ? SIGN_IN : {}
}

function pathWith(path, values) {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
}

function queryOf(query) {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)])
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`
}

function bodyText(body) {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function curl({ method, url, headers, body, answers }) {
  const words = [
    `curl${answers === 'events' ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
    ...Object.entries(headers).map(([name, value]) => `-H ${inShell(name, value)}`),
    ...(body === undefined ? [] : [`-d '${bodyText(body).replaceAll("'", "'\\''")}'`]),
  ]
  return words.join(' \\\n  ')
}

function inShell(name, value) {
  return typeof value === 'string'
    ? `'${name}: ${value}'`
    : `"${name}: ${value.before ?? ''}$${value.variable}"`
}

function javascript(operation, sent, address) {
  return SDK_METHOD in operation ? bySdk(operation, sent, address) : byFetch(sent)
}

function bySdk(operation, { path, query, body, headers }, address) {
  const token = 'authorization' in headers ? [`  token: ${IN_NODE}.${KEY.authorization.variable},`] : []
  const input = body ?? (Object.keys(query).length > 0 ? query : undefined)
  const given = [...Object.values(path), ...(input === undefined ? [] : [input])]
  const values = given.map((value) => inJavaScript(value)).join(', ')
  return [
    "import { Scriptward } from '@scriptward/sdk'",
    '',
    'const scriptward = new Scriptward({',
    `  url: ${inJavaScript(address)},`,
    ...token,
    '})',
    `console.log(await scriptward.${operation[SDK_METHOD]}(${values}))`,
  ].join('\n')
}

function byFetch({ method, url, headers, body, answers }) {
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
  return [`const answer = await ${call.join('\n')}`, READ_BY_FETCH[answers]].join('\n')
}

function variableInJavaScript({ variable, before }) {
  const value = `${IN_NODE}.${variable}`
  return before === undefined ? value : `\`${before}$\{${value}}\``
}

const READ_BY_FETCH = {
  json: 'console.log(await answer.json())',
  text: 'console.log(await answer.text())',
  events: [
    'for await (const part of answer.body.pipeThrough(new TextDecoderStream()))',
    '  console.log(part)',
  ].join('\n'),
}

function inJavaScript(value, indent = '') {
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

function nameInJavaScript(name) {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
}

function lua({ method, url, headers, body, answers }) {
  const isStream = answers === 'events'
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

function variableIn({ variable, before }, table, [open, close], joint) {
  return `${before === undefined ? '' : `"${before}"${joint}`}${table}${open}"${variable}"${close}`
}

function inLua(text) {
  return text.includes(']]') ? `[==[${text}]==]` : `[[${text}]]`
}

function python({ method, url, headers, body, answers }) {
  const given = Object.entries(headers).map(([name, value]) => {
    const text = typeof value === 'string' ? `"${value}"` : variableIn(value, 'os.environ', ['[', ']'], ' + ')
    return `        "${name}": ${text},`
  })
  const usesOs = Object.values(headers).some((value) => typeof value !== 'string')
  const isJson = body !== undefined && typeof body !== 'string'
  const modules = [
    ...(isJson || answers === 'json' ? ['json'] : []),
    ...(usesOs ? ['os'] : []),
    'urllib.request',
  ]
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
    ...READ_IN_PYTHON[answers],
  ].join('\n')
}

const READ_IN_PYTHON = {
  json: ['    print(json.load(answer))'],
  text: ['    print(answer.read().decode())'],
  events: ['    for line in answer:', '        print(line.decode().rstrip())'],
}

/** Python writes strings, numbers and lists like JSON, except for three keywords. */
function inPython(value) {
  const words = { true: 'True', false: 'False', null: 'None' }
  return JSON.stringify(value ?? '', null, 4).replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (word) => words[word] ?? word,
  )
}
