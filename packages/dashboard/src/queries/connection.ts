/**
 * The dashboard's API connection. Requests carry the session cookie, and a header that proves that they come
 * from a page on this server. The browser never has API keys.
 */
import { type Connection, connect } from '@scriptward/sdk'
import { noteChange } from '../lib/double-click.ts'

type Hooks = {
  /** Called before each request. */
  readonly onCall: (request: Request) => void
  /**
   * Called if the session has expired. Asks the user to sign in again. Returns false if the user was not
   * signed in before.
   */
  readonly signInAgain: () => Promise<boolean>
  /**
   * Called if the request requires a recent authentication. Asks the user to confirm their identity. Returns
   * false if the user cancels.
   */
  readonly prove: () => Promise<boolean>
}

const CSRF_COOKIE = /(?:^|; )(?:__Host-)?scriptward-csrf=([^;]+)/

export function connectPage(hooks: Hooks): Connection {
  const writes = new Writes()
  return connect({
    baseUrl: location.origin,
    fetch: (input) => writes.once(new Request(input), (request) => send(request, hooks)),
  })
}

/** Returns a connection whose failing requests don't open a dialog. */
export function connectQuietly(): Connection {
  const never = async () => false
  return connectPage({ onCall: () => {}, signInAgain: never, prove: never })
}

/** Whether there is a session cookie. The server decides whether the session is still valid. */
export function hasCookie(): boolean {
  return CSRF_COOKIE.test(document.cookie)
}

/** Requests that, if sent twice, would create a duplicate or add time twice. */
const MAKES = /\/(?:new|generate|import|compensate|extend|bulk|update|invite)$/
const IS_DRY = '"dry_run":true'
/** After this time, an identical request counts as a new one, such as another month for the same key. */
export const RETRY_MS = 5 * 60_000

type Perform = (request: Request) => Promise<Response>

/** Sends each change only once, even if it is requested again while it is pending. */
class Writes {
  private readonly pending = new Map<string, Promise<Response>>()
  /** The idempotency keys of requests that are pending or whose responses were lost, by content. */
  private readonly lost = new Map<string, { readonly key: string; readonly at: number }>()

  async once(request: Request, perform: Perform): Promise<Response> {
    if (request.method === 'GET') return perform(request)
    noteChange()
    const content = `${request.method} ${request.url} ${await request.clone().text()}`
    const answer = this.pending.get(content) ?? this.start(content, request, perform)
    return (await answer).clone()
  }

  private start(content: string, request: Request, perform: Perform): Promise<Response> {
    const isMaking =
      request.method === 'POST' && MAKES.test(new URL(request.url).pathname) && !content.includes(IS_DRY)
    const answer = isMaking ? this.make(content, request, perform) : perform(request)
    this.pending.set(content, answer)
    return answer.finally(() => this.pending.delete(content))
  }

  /**
   * If the response to a request was lost, repeats the request with the same idempotency key. The API then
   * returns the first result instead of creating a duplicate.
   */
  private async make(content: string, request: Request, perform: Perform): Promise<Response> {
    for (const [each, { at }] of this.lost) if (Date.now() - at > RETRY_MS) this.lost.delete(each)
    const key = this.lost.get(content)?.key ?? newKey()
    this.lost.set(content, { key, at: Date.now() })
    request.headers.set('idempotency-key', key)
    const answer = await perform(request)
    if (await isFinal(answer)) this.lost.delete(content)
    return answer
  }
}

/**
 * Returns whether a response settles its request. After a server error, the request may still have succeeded,
 * because a proxy may have lost the response. A 409 or 429 can mean that the first attempt is still running,
 * or that it's too early to retry.
 */
async function isFinal(answer: Response): Promise<boolean> {
  if (answer.status === 409) return (await typeOf(answer.clone())) !== 'idempotency_key_in_use'
  return answer.status < 500 && answer.status !== 429
}

/** `crypto.randomUUID` is available only over HTTPS. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

async function send(request: Request, hooks: Hooks): Promise<Response> {
  hooks.onCall(request.clone())
  const again = request.clone()
  const answer = await (takeFirst(request) ?? fetch(withCsrf(request)))
  if (answer.status !== 401 && answer.status !== 403) return answer
  const type = await typeOf(answer.clone())
  return (await mayRepeat(type, hooks)) ? fetch(withCsrf(again)) : answer
}

declare global {
  /**
   * Responses to the requests that `first-load.ts` sent while the app's code was loading, by path and query.
   */
  var firstAnswers: Map<string, Promise<Response>> | undefined
}

/** Returns each response only once. The app consumes all of them at startup, so none is outdated. */
function takeFirst({ method, url }: Request): Promise<Response> | undefined {
  const path = url.slice(location.origin.length)
  const answer = method === 'GET' ? globalThis.firstAnswers?.get(path) : undefined
  globalThis.firstAnswers?.delete(path)
  return answer
}

async function mayRepeat(type: unknown, { signInAgain, prove }: Hooks): Promise<boolean> {
  if (type === 'unauthorized') return signInAgain()
  return type === 'fresh_sign_in_needed' && prove()
}

/** Reads the CSRF cookie for each request, because the cookie changes with each session. */
function withCsrf(request: Request): Request {
  const token = CSRF_COOKIE.exec(document.cookie)?.[1]
  if (token !== undefined) request.headers.set('x-scriptward-csrf', token)
  return request
}

async function typeOf(answer: Response): Promise<unknown> {
  const body: { error?: { type?: unknown } } | null = await answer.json().catch(() => null)
  return body?.error?.type
}
