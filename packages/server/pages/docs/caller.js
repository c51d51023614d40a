/**
 * The credential used to try calls, and values from the caller's account that prefill forms. The credential
 * is this browser's dashboard session, or a pasted key or token, which is kept only in this variable.
 */
import { h } from './dom.js'

const CSRF = /(?:^|; )(?:__Host-)?scriptward-csrf=([^;]+)/
const state = { key: undefined, me: undefined, own: new Map() }

export function callerName() {
  if (state.me === undefined) return 'Not signed in'
  return `${state.key === undefined ? 'Signed in' : 'With a key'}: ${state.me.name}`
}

export function hasCaller() {
  return state.me !== undefined
}

/**
 * Sends a request as the caller. A pasted key is sent without the cookie, so that there is only one
 * credential.
 */
export function send(path, { method = 'GET', headers = {}, body, signal } = {}) {
  const csrf = CSRF.exec(document.cookie)?.[1]
  const credential =
    state.key === undefined ? (csrf === undefined ? {} : { 'x-scriptward-csrf': csrf }) : { token: state.key }
  const credentials = state.key === undefined ? 'same-origin' : 'omit'
  return fetch(path, {
    method,
    headers: { ...headers, ...credential },
    body,
    credentials,
    signal,
    cache: 'no-store',
  })
}

async function read(path) {
  const answer = await send(path)
  return answer.ok ? answer.json() : undefined
}

async function begin(key) {
  state.key = key
  state.own.clear()
  state.me =
    key === undefined && !CSRF.test(document.cookie) ? undefined : await read('/v1/me').catch(() => undefined)
  document.dispatchEvent(new Event('callerchange'))
  return state.me !== undefined
}

export const useSignIn = () => begin(undefined)

/**
 * Maps each resource to the list that contains it, the list's field in the response, and the field with the
 * ID.
 */
const FOUND = {
  project_id: ['/v1/projects?limit=1', 'projects', 'id'],
  script_id: ['/v1/projects/{project_id}/scripts?limit=1', 'scripts', 'id'],
  user_key: ['/v1/projects/{project_id}/users?limit=1', 'users', 'key'],
  session_id: ['/v1/scripts/{script_id}/sessions?limit=1', 'sessions', 'id'],
  system_id: ['/v1/adsystems?limit=1', 'systems', 'id'],
  checkpoint_id: ['/v1/adsystems/{system_id}/checkpoints?limit=1', 'checkpoints', 'id'],
  delivery_id: ['/v1/projects/{project_id}/webhooks/deliveries?limit=1', 'deliveries', 'id'],
  token_id: ['/v1/tokens?limit=1', 'tokens', 'id'],
  member_id: ['/v1/members', 'members', 'id'],
  invitation_id: ['/v1/members', 'invitations', 'id'],
  sign_in_id: ['/v1/sign-ins', 'sign_ins', 'id'],
  passkey_id: ['/v1/auth/passkeys', 'passkeys', 'id'],
  tier: ['/v1/tiers', 'tiers', 'id'],
  n: ['/v1/scripts/{script_id}/versions?order=newest&limit=1', 'versions', 'version'],
  customers: ['/v1/admin/customers?limit=1', 'customers', 'id'],
  people: ['/v1/admin/people?limit=1', 'people', 'id'],
  tiers: ['/v1/admin/tiers', 'tiers', 'id'],
}

/**
 * The account's first resource of this kind, or undefined if it has none or there is no caller. `path`
 * determines what `id` refers to.
 */
export async function ownValue(name, path) {
  if (!hasCaller()) return undefined
  const noun = name === 'id' ? /^\/v1\/admin\/(\w+)/.exec(path)?.[1] : name
  if (!(noun in FOUND)) return undefined
  if (!state.own.has(noun)) state.own.set(noun, findFirst(noun))
  return state.own.get(noun)
}

async function findFirst(noun) {
  const [pattern, list, member] = FOUND[noun]
  const needed = /\{(\w+)\}/.exec(pattern)?.[1]
  const holder = needed === undefined ? '' : await ownValue(needed, '')
  if (holder === undefined) return undefined
  const answer = await read(pattern.replace(/\{\w+\}/, encodeURIComponent(holder))).catch(() => undefined)
  return answer?.[list]?.[0]?.[member]
}

/** The dialog for choosing the credential. */
export function openCallerDialog() {
  const key = h('input', { id: 'key', type: 'password', autocomplete: 'off', spellcheck: 'false' })
  const said = h('p', { role: 'status' })
  const close = () => dialog.close()
  const use = async (value) => {
    said.textContent = 'Asking…'
    if (await begin(value)) close()
    else
      said.textContent =
        value === undefined
          ? 'You are not signed in to the dashboard here.'
          : 'This key or token is not accepted.'
  }
  const form = h(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault()
        if (key.value.trim() !== '') void use(key.value.trim())
      },
    },
    h('h2', { id: 'who' }, 'Who calls?'),
    h(
      'p',
      {},
      'Calls that you try are real. They are sent by this browser to this service and nowhere else.',
    ),
    h('label', { for: 'key' }, 'API key or token'),
    key,
    h('p', { class: 'hint' }, 'It is forgotten when you close or reload this page.'),
    said,
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit', class: 'main' }, 'Use this key'),
      h('button', { type: 'button', onclick: () => void use(undefined) }, 'Use my sign-in'),
      h('button', { type: 'button', class: 'quiet', onclick: close }, 'Cancel'),
    ),
  )
  const dialog = h('dialog', { 'aria-labelledby': 'who', onclose: () => dialog.remove() }, form)
  document.body.append(dialog)
  dialog.showModal()
}
