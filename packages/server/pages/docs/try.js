/** A form that sends a real call to the operation, prefilled with values that work for the caller. */
import { callerName, hasCaller, openCallerDialog, ownValue, send } from './caller.js'
import { contentOf } from './document.js'
import { code, h, json } from './dom.js'
import { ofReader, samplesOf } from './samples.js'

const MAX_SHOWN = 200_000

/** The form is built when it is opened, because most forms never are. */
export function tryOf(operation) {
  if (operation.isEvent) return undefined
  const details = h('details', { class: 'try' }, h('summary', {}, 'Try it'))
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(formOf(operation, details))
  })
  return details
}

function formOf(operation, details) {
  const inPath = operation.parameters.filter((one) => one.in === 'path')
  const others = operation.parameters.filter((one) => one.in !== 'path')
  const fields = new Map(operation.parameters.map((one) => [one, fieldOf(operation, one)]))
  const content = contentOf(operation.requestBody)
  const body = content && bodyField(operation, content)
  const who = h('button', { type: 'button', class: 'quiet', onclick: openCallerDialog }, callerName())
  const sure = operation['x-changes'] ? h('input', { type: 'checkbox', required: true }) : undefined
  const output = h('div', { class: 'output', role: 'status' })
  const submit = h('button', { type: 'submit', class: 'main' }, 'Send')
  const form = h(
    'form',
    {},
    h('p', { class: 'who' }, 'Sent as ', who),
    inPath.map((one) => fields.get(one).row),
    body?.row,
    others.length === 0
      ? undefined
      : h(
          'details',
          {},
          h('summary', {}, `Optional values (${others.length})`),
          others.map((one) => fields.get(one).row),
        ),
    sure && h('label', { class: 'sure' }, sure, ' This changes real data: do it'),
    h('div', { class: 'actions' }, submit),
    output,
  )
  if (others.some((one) => one.required)) form.querySelector('details').open = true
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(operation, { fields, body, submit, output })
  })
  const fill = async () => {
    who.textContent = callerName()
    const mine = await fillIn(operation, fields, body)
    if (mine.length > 0)
      details.closest('section').querySelector('.samples')?.replaceWith(samplesOf(operation, mine))
  }
  document.addEventListener('callerchange', () => form.isConnected && void fill())
  void fill()
  return form
}

function fieldOf(operation, parameter) {
  const { name, required, description, example, schema } = parameter
  const id = `${operation.name}-${name}`
  const input = h('input', {
    id,
    name,
    autocomplete: 'off',
    spellcheck: 'false',
    required: required === true,
  })
  const shown = example ?? schema.examples?.[0]
  if (required && parameter.in === 'query' && shown !== undefined) input.value = shown
  else if (shown !== undefined && !required) input.placeholder = String(shown)
  const hint =
    description === undefined ? undefined : h('p', { class: 'hint', id: `${id}-hint` }, description)
  if (hint) input.setAttribute('aria-describedby', `${id}-hint`)
  return { input, row: h('div', { class: 'field' }, h('label', { for: id }, name), input, hint) }
}

function bodyField(operation, { type, example }) {
  const id = `${operation.name}-body`
  const text = json(example)
  const rows = Math.min(16, Math.max(3, text.split('\n').length))
  const input = h('textarea', { id, rows: String(rows), spellcheck: 'false' })
  input.value = text
  return {
    input,
    type,
    first: text,
    row: h('div', { class: 'field' }, h('label', { for: id }, `Body (${type})`), input),
  }
}

/** Fills in the caller's IDs where nothing was typed. Returns which example ID each of them replaces. */
async function fillIn(operation, fields, body) {
  const mine = []
  for (const [parameter, { input }] of fields) {
    const isId = parameter.in === 'path'
    const own = isId ? await ownValue(parameter.name, operation.path) : undefined
    if (own === undefined) continue
    mine.push([parameter.example, own])
    if (input.value === '') input.value = String(own)
  }
  if (body === undefined) return mine
  for (const name of ['project_id', 'script_id', 'session_id']) {
    const shown = body.first.match(PREFIXES[name])?.[0]
    const own = shown === undefined ? undefined : await ownValue(name, '')
    if (own !== undefined) mine.push([shown, own])
  }
  if (body.input.value === body.first) body.input.value = ofReader(body.first, mine)
  return mine
}

const PREFIXES = { project_id: /\bprj_\w+/, script_id: /\bscr_\w+/, session_id: /\bses_\w+/ }

async function run(operation, { fields, body, submit, output }) {
  const request = requestOf(operation, fields, body)
  const stop = new AbortController()
  const stopping = h('button', { type: 'button', onclick: () => stop.abort() }, 'Stop')
  submit.disabled = true
  submit.after(stopping)
  output.replaceChildren(h('p', {}, 'Sent…'))
  const began = performance.now()
  try {
    const answer = await send(request.path, { ...request, signal: stop.signal })
    await showAnswer(answer, output, () => Math.round(performance.now() - began))
  } catch (error) {
    output.append(h('p', {}, error.name === 'AbortError' ? 'Stopped.' : 'The service could not be reached.'))
  } finally {
    submit.disabled = false
    stopping.remove()
  }
}

function requestOf({ method, path, parameters }, fields, body) {
  const typedIn = (one) => fields.get(one).input.value.trim()
  const given = (place) => parameters.filter((one) => one.in === place && typedIn(one) !== '')
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(typedIn(parameter))
  })
  const query = new URLSearchParams(given('query').map((one) => [one.name, typedIn(one)]))
  const headers = Object.fromEntries(given('header').map((one) => [one.name, typedIn(one)]))
  const text = body?.input.value ?? ''
  const sent = text === '' ? {} : { body: text, headers: { ...headers, 'content-type': body.type } }
  return { method, headers, path: query.size === 0 ? filled : `${filled}?${query}`, ...sent }
}

/** Shows the response as it arrives, so that a stream is visible while it runs. */
async function showAnswer(answer, output, elapsed) {
  const head = h('p', { class: answer.ok ? 'good' : 'bad' })
  const content = h('code', {})
  const body = h('pre', { tabindex: '0' }, content)
  output.replaceChildren(head, body)
  const tell = () => {
    head.textContent = `${answer.status} ${answer.statusText} · ${elapsed()} ms`
  }
  tell()
  let text = ''
  for await (const part of partsOf(answer)) {
    text += part
    if (text.length < MAX_SHOWN) content.textContent = text
  }
  tell()
  content.replaceChildren(...code(pretty(text).slice(0, MAX_SHOWN)))
  if (!hasCaller() && answer.status === 401) output.append(h('p', {}, 'Say who calls first, above.'))
}

async function* partsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
