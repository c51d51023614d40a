/**
 * Requests of the dashboard: the cookie of the sign-in goes with them by itself, and the header that proves that a page of
 * this service sends them. No API key is ever in the browser.
 */
import { type Connection, connect } from '@scriptward/sdk'

type Hooks = {
  /** Each request before it is sent. */
  readonly onCall: (request: Request) => void
  /** The sign-in has ended. */
  readonly onSignedOut: () => void
  /** The sign-in is too old for this: asks who it is. False when that was given up. */
  readonly prove: () => Promise<boolean>
}

const CSRF_COOKIE = /(?:^|; )(?:__Host-)?scriptward-csrf=([^;]+)/

export function connectPage(hooks: Hooks): Connection {
  return connect({ baseUrl: location.origin, fetch: (input) => send(new Request(input), hooks) })
}

/** Whether this browser has a sign-in; the service knows whether it still counts. */
export function hasCookie(): boolean {
  return CSRF_COOKIE.test(document.cookie)
}

async function send(request: Request, hooks: Hooks): Promise<Response> {
  hooks.onCall(request.clone())
  const again = request.clone()
  const answer = await fetch(withCsrf(request))
  if (answer.status !== 401 && answer.status !== 403) return answer
  const type = await typeOf(answer.clone())
  if (type === 'unauthorized') hooks.onSignedOut()
  if (type !== 'fresh_sign_in_needed' || !(await hooks.prove())) return answer
  return fetch(withCsrf(again))
}

/** The twin cookie is read for each request, because each sign-in has another one. */
function withCsrf(request: Request): Request {
  const token = CSRF_COOKIE.exec(document.cookie)?.[1]
  if (token !== undefined) request.headers.set('x-scriptward-csrf', token)
  return request
}

async function typeOf(answer: Response): Promise<unknown> {
  const body: { error?: { type?: unknown } } | null = await answer.json().catch(() => null)
  return body?.error?.type
}
