/**
 * Runs a real server on loopback that acts as ad providers of all three kinds. It serves the APIs that the
 * server under test calls, and links that redirect only after the visitor has viewed their ad page.
 * Submitting a page's form, as a browser or a test does, counts as viewing it.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ProviderId } from '../../src/platform/ad-providers/provider.ts'
import { listenOnFreePort } from '../ports.ts'

/**
 * `hangs` never responds, `breaks` closes the connection, `fails` responds with 503, and `garbage` responds
 * with invalid data.
 */
export type Mood = 'works' | 'hangs' | 'breaks' | 'fails' | 'garbage'
/** With `none`, the provider sends no postback. */
export type Postbacks = 'sent' | 'none'

type Clock = { readonly now: number }
type Token = {
  readonly linkId: string
  readonly createdAt: number
  readonly byIp: string
  expiresAfter: number
}

export const TOKEN_A = 'publisher-token-of-style-a'
export const TOKEN_B = 'interface-token-of-style-b'
/** A token whose account the provider doesn't serve, for example because its details are incomplete. */
export const REJECTED_TOKEN_B = 'rejected-token-of-style-b'
const HASH_MS = 10_000

export class FakeProviders {
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  readonly #key = randomBytes(32)
  readonly #hashes = new Map<string, number>()
  readonly #overrides = new Map<string, string>()
  /** Link destinations for styles a and c, and confirmation URLs for style b. */
  readonly destinations = new Map<string, string>()
  readonly postbacks = new Map<string, string>()
  readonly tokens = new Map<string, Token>()
  readonly moods: Record<ProviderId, Mood> = { provider_a: 'works', provider_b: 'works', provider_c: 'works' }
  /** Requests to the APIs, by path without query string. */
  readonly asked: string[] = []
  /** Links created through the style b API. */
  readonly links: { title: string; url: string; tier_id: number; number_of_tasks: number }[] = []
  /** The documentation shows one link as an object, but the API responds with a list. */
  listsLinks = true
  /** Base URL of created links; if undefined, the URL of this server is used. */
  linksAt: string | undefined
  postback: Postbacks = 'sent'
  clock: Clock = { now: Date.now() }
  url = ''

  async start(): Promise<void> {
    // Keeps idle connections open. If a connection closed just as the server reused it, the server would see
    // a provider failure that no test intended.
    this.#server.keepAliveTimeout = 600_000
    this.url = `http://127.0.0.1:${await listenOnFreePort(this.#server)}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Server settings that point at these providers. */
  config() {
    const provider = (letter: string) => ({ url: this.url, label: `Fake ${letter}`, hosts: [] })
    return { provider_a: provider('A'), provider_b: provider('B'), provider_c: provider('C') }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    const asked = interfaceOf(url.pathname)
    if (asked !== undefined) this.asked.push(url.pathname)
    const mood = asked === undefined ? 'works' : this.moods[asked]
    if (mood === 'hangs') return
    if (mood === 'breaks') return void request.socket.destroy()
    if (mood === 'fails') return end(response, 503, 'later')
    if (mood === 'garbage') return end(response, 200, '<html>maintenance</html>')
    if (asked === 'provider_a') return end(response, 200, this.#checkHash(url))
    if (url.pathname === '/api/public/content_locker') return this.#lock(request, response)
    if (asked === 'provider_b') return this.#encrypt(request, response)
    if (asked === 'provider_c') return endJson(response, this.#answerC(url))
    if (request.method === 'POST') return this.#watched(request, response, url)
    end(response, 200, pageOf(request.url ?? '/'), 'text/html; charset=utf-8')
  }

  #checkHash(url: URL): string {
    if (url.searchParams.get('token') !== TOKEN_A) return 'Invalid token.'
    const issued = this.#hashes.get(url.searchParams.get('hash') ?? '')
    return issued !== undefined && this.clock.now - issued <= HASH_MS ? 'TRUE' : 'FALSE'
  }

  async #encrypt(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization === `Bearer ${REJECTED_TOKEN_B}`)
      return end(response, 400, '{"type":"error"}')
    if (request.headers.authorization !== `Bearer ${TOKEN_B}`) return end(response, 401, '{"type":"error"}')
    const { destination_url } = JSON.parse(await bodyOf(request))
    endJson(response, { type: 'created', message: this.#seal(destination_url) })
  }

  async #lock(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${TOKEN_B}`) return end(response, 401, '{"type":"error"}')
    const order = JSON.parse(await bodyOf(request))
    this.links.push(order)
    const id = randomBytes(6).toString('hex')
    const made = { short: id, loot_url: `${this.linksAt ?? this.url}/b/s?${id}` }
    endJson(response, { type: 'created', message: this.listsLinks ? [made] : made })
  }

  #answerC(url: URL): object {
    if (url.pathname === '/_api/v2/override') {
      const sr = randomBytes(9).toString('base64url')
      this.#overrides.set(sr, url.searchParams.get('destination') ?? '')
      return { sr }
    }
    const name = url.pathname.split('/').at(-1) ?? ''
    const token = this.tokens.get(name)
    if (url.searchParams.get('deleteToken') === '1') this.tokens.delete(name)
    return token
      ? { valid: true, deleted: true, info: { token: name, ...token } }
      : { valid: false, info: null }
  }

  async #watched(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const address = String(request.headers['x-forwarded-for'] ?? '127.0.0.1')
    const [, style = '', id = ''] = url.pathname.split('/')
    const location = await this.#destinationOf(style, { url, id, address })
    response.writeHead(302, { location }).end()
  }

  async #destinationOf(
    style: string,
    { url, id, address }: { url: URL; id: string; address: string },
  ): Promise<string> {
    if (style === 'a') {
      const hash = randomBytes(32).toString('hex')
      this.#hashes.set(hash, this.clock.now)
      return `${this.destinations.get(id)}?hash=${hash}`
    }
    if (style === 'b') {
      const destination = this.#open(url.searchParams.get('data') ?? '')
      const puid = url.searchParams.get('puid') ?? ''
      if (this.postback === 'sent') await this.confirm([...url.searchParams.keys()][0] ?? '', puid, address)
      return destination
    }
    const token = this.addToken({ linkId: id, byIp: address })
    const destination =
      this.#overrides.get(url.searchParams.get('sr') ?? '') ?? this.destinations.get(id) ?? ''
    return destination.replace('{TOKEN}', token)
  }

  /** Notifies the server that a task is done, as providers of style b do. */
  async confirm(link: string, clickId: string, address: string, unique = randomUUID()): Promise<Response> {
    const query = new URLSearchParams({ click_id: clickId, ip: address, unique_id: unique })
    return fetch(`${this.postbacks.get(link)}?${query}`)
  }

  addToken(token: Partial<Token>): string {
    const name = randomUUID()
    const { now } = this.clock
    this.tokens.set(name, {
      linkId: '1',
      createdAt: now,
      byIp: '127.0.0.1',
      expiresAfter: now + 60_000,
      ...token,
    })
    return name
  }

  #seal(text: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64')
  }

  #open(text: string): string {
    const bytes = Buffer.from(text, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(-16))
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()
  }
}

function interfaceOf(path: string): ProviderId | undefined {
  if (path === '/api/v1/anti_bypassing') return 'provider_a'
  if (path === '/api/public/url_encryptor' || path === '/api/public/content_locker') return 'provider_b'
  return path.startsWith('/_api/v2/') ? 'provider_c' : undefined
}

/** Returns the ad that a visitor has to view. Visitors can continue only by submitting the ad's form. */
function pageOf(address: string): string {
  const action = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html><html lang="en"><title>Ad</title><h1>An ad</h1><form method="post" action="${action}"><button>I have seen it</button></form></html>`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += String(part)
  return text
}

function endJson(response: ServerResponse, value: object): void {
  end(response, 200, JSON.stringify(value), 'application/json')
}

function end(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type }).end(text)
}
