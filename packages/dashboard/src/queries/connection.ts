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
  const makings = new Makings()
  return connect({
    baseUrl: location.origin,
    fetch: (input) => makings.once(new Request(input), (request) => send(request, hooks)),
  })
}

/** Whether this browser has a sign-in; the service knows whether it still counts. */
export function hasCookie(): boolean {
  return CSRF_COOKIE.test(document.cookie)
}

/** Requests that make something, and would make it twice when they are sent twice. */
const MAKES = /\/(?:new|generate|compensate|update|invite)$/

/** The same that is sent once more after its answer was lost gets what was made, instead of a second one. */
class Makings {
  private lost: { readonly content: string; readonly key: string } | undefined

  async once(request: Request, perform: (request: Request) => Promise<Response>): Promise<Response> {
    if (request.method !== 'POST' || !MAKES.test(new URL(request.url).pathname)) return perform(request)
    const content = `${request.url} ${await request.clone().text()}`
    const key = this.lost?.content === content ? this.lost.key : newKey()
    request.headers.set('idempotency-key', key)
    const answer = await perform(request).catch((error: unknown) => {
      this.lost = { content, key }
      throw error
    })
    // What stands before the service may have lost its answer.
    this.lost = answer.status < 500 ? undefined : { content, key }
    return answer
  }
}

/** `crypto.randomUUID` is missing where the service is not behind https. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
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
