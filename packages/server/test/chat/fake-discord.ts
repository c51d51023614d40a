/**
 * Simulates Discord's REST API, as publicly documented for version 10, and the requests that Discord sends to
 * an application. The fake has one application with a key pair, one bot, servers with members and roles, rate
 * limits and outages. It records every request.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Record<string, unknown>
export type Recorded = {
  readonly method: string
  readonly path: string
  readonly body: Json | undefined
  /** Reason shown in the server's audit log; empty if none. */
  readonly reason: string
}
type Member = { roles: string[] }
type FakeRole = {
  id: string
  name: string
  position: number
  managed?: boolean
  tags?: { bot_id: string }
  color?: number
}
export type FakeServer = { id: string; name: string; roles: FakeRole[]; members: Map<string, Member> }

export const APPLICATION = '184650129374650213'
export const SERVER = '301245678901234567'
export const STAFF_ROLE = '301245678901234570'
export const CUSTOMER_ROLE = '301245678901234571'
export const VIP_ROLE = '301245678901234574'
/** This role ranks higher than the bot's own. */
export const HIGH_ROLE = '301245678901234572'
const TOKEN = 'MTg0NjUwMTI5Mzc0NjUwMjEz.fake.token-of-the-bot'
const BOT_ROLE = '301245678901234573'

/** The bot may manage roles if `hasPermission` is true. */
export class FakeDiscord {
  readonly requests: Recorded[] = []
  readonly servers: FakeServer[] = [newServer(SERVER, 'Garden')]
  readonly files = new Map<string, Buffer>()
  token = TOKEN
  hasPermission = true
  /** Failures for the next requests, one per request: an error status or a dropped connection. */
  readonly faults: ('429' | '500' | 'drop')[] = []
  /** If set, every request fails this way. */
  outage: '429' | '500' | 'drop' | undefined
  /** Requests are recorded immediately, but their responses wait for this promise. */
  hold: Promise<void> | undefined
  interactionsUrl: string | undefined
  /** URL that the fake uses to reach the server under test, because the server's public URL doesn't exist. */
  serverUrl: string | undefined
  url = ''
  readonly #keys = generateKeyPairSync('ed25519')
  readonly #http = createServer((request, response) => void this.#answer(request, response))
  /** Reads the clock of the server under test. */
  readonly #now: () => number
  #ids = 900_000_000_000_000_000n

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  async open(): Promise<this> {
    await new Promise<void>((done) => this.#http.listen(0, '127.0.0.1', done))
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/api`
    return this
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections()
    await new Promise((done) => this.#http.close(done))
  }

  get publicKey(): string {
    return this.#keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
  }

  get server(): FakeServer {
    return this.servers[0] as FakeServer
  }

  newId(): string {
    this.#ids += 1n
    return String(this.#ids)
  }

  /** Resets everything that a test may have changed: members, roles, permissions, failures and the token. */
  reset(): void {
    this.servers.splice(0, this.servers.length, newServer(SERVER, 'Garden'))
    this.requests.length = 0
    this.faults.length = 0
    Object.assign(this, { outage: undefined, hasPermission: true, token: TOKEN })
  }

  addFile(name: string, content: Buffer): Json {
    const id = this.newId()
    this.files.set(id, content)
    return { id, filename: name, size: content.length, url: `${this.url}/files/${id}` }
  }

  /** Signs a body as Discord does. */
  signed(body: string, at = this.#now()): Record<string, string> {
    const timestamp = String(Math.floor(at / 1000))
    const signature = sign(null, Buffer.from(timestamp + body), this.#keys.privateKey)
    return {
      'content-type': 'application/json',
      'x-signature-ed25519': signature.toString('hex'),
      'x-signature-timestamp': timestamp,
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString('utf8')
    const { pathname } = new URL(request.url ?? '/', 'http://discord.invalid')
    const path = pathname.replace(/^\/api(\/v10)?/, '')
    const method = request.method ?? ''
    const body = text === '' ? undefined : (JSON.parse(text) as Json)
    const reason = decodeURIComponent(String(request.headers['x-audit-log-reason'] ?? ''))
    this.requests.push({ method, path, body, reason })
    await this.hold
    const fault = this.outage ?? this.faults.shift()
    if (fault !== undefined) return failWith(fault, response)
    const file = /^\/files\/(\d+)$/.exec(path)?.[1]
    if (file !== undefined) return void response.end(this.files.get(file))
    const { status, json } = await this.#respond(method, path, body, request.headers.authorization)
    if (json === undefined) return void response.writeHead(status).end()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  }

  async #respond(method: string, path: string, body: Json | undefined, authorization: string | undefined) {
    const followUp = path.startsWith('/webhooks/')
    if (!followUp && authorization !== `Bot ${this.token}`) return error(401, 0, '401: Unauthorized')
    const route = `${method} ${path}`
    if (route === 'GET /applications/@me') return ok(this.#application())
    if (route === 'PATCH /applications/@me') return this.#setUrl(String(body?.interactions_endpoint_url))
    if (route === 'GET /users/@me/guilds') return ok(this.servers.map(({ id, name }) => ({ id, name })))
    if (/^PUT \/applications\/\d+\/guilds\/\d+\/commands$/.test(route)) return ok(body)
    if (followUp) return ok({ id: this.newId() })
    const [, serverId, rest = ''] = /^\/guilds\/(\d+)\/?(.*)$/.exec(path) ?? []
    const server = this.servers.find(({ id }) => id === serverId)
    if (server === undefined) return error(404, 10_004, 'Unknown Guild')
    return this.#inServer(server, method, rest)
  }

  #application() {
    const { interactionsUrl: interactions_endpoint_url } = this
    return { id: APPLICATION, name: 'Garden', verify_key: this.publicKey, interactions_endpoint_url }
  }

  /** Sends two pings as Discord does: one with a valid signature and one with an invalid one. */
  async #setUrl(url: string) {
    const target = this.serverUrl === undefined ? url : new URL(new URL(url).pathname, this.serverUrl).href
    const ping = JSON.stringify({
      id: this.newId(),
      application_id: APPLICATION,
      type: 1,
      version: 1,
      token: 'ping',
    })
    const signed = this.signed(ping)
    const [right, wrong] = await Promise.all([
      post(target, ping, signed),
      post(target, ping, { ...signed, 'x-signature-ed25519': '0'.repeat(128) }),
    ])
    if (right?.status !== 200 || (right.json as Json).type !== 1 || wrong?.status !== 401)
      return error(400, 50_035, 'The specified interactions endpoint URL could not be verified.')
    this.interactionsUrl = url
    return ok(this.#application())
  }

  #inServer(server: FakeServer, method: string, rest: string) {
    if (method === 'GET' && rest === 'roles')
      return ok(server.roles.map((role) => ({ color: 0, managed: false, ...role })))
    const [, userId = '', , roleId] = /^members\/(\d+)(\/roles\/(\d+))?$/.exec(rest) ?? []
    if ([userId, roleId ?? ''].some((id) => BigInt(id) >= 2n ** 63n))
      return error(400, 50_035, 'Invalid Form Body')
    const member = server.members.get(userId)
    if (member === undefined) return error(404, 10_007, 'Unknown Member')
    if (roleId === undefined) return ok({ user: { id: userId }, roles: member.roles })
    const role = server.roles.find(({ id }) => id === roleId)
    const own = server.roles.find(({ id }) => id === BOT_ROLE)
    if (role === undefined) return error(404, 10_011, 'Unknown Role')
    if (!this.hasPermission || role.position >= (own?.position ?? 0))
      return error(403, 50_013, 'Missing Permissions')
    member.roles = member.roles.filter((id) => id !== roleId)
    if (method === 'PUT') member.roles.push(roleId)
    return { status: 204, json: undefined }
  }
}

function newServer(id: string, name: string): FakeServer {
  const roles: FakeRole[] = [
    { id, name: '@everyone', position: 0 },
    { id: CUSTOMER_ROLE, name: 'Customer', position: 1 },
    { id: STAFF_ROLE, name: 'Support', position: 2 },
    { id: VIP_ROLE, name: 'VIP', position: 3 },
    { id: BOT_ROLE, name: 'Garden', position: 5, managed: true, tags: { bot_id: APPLICATION } },
    { id: HIGH_ROLE, name: 'Founder', position: 9 },
  ]
  return { id, name, roles: roles.map((role) => ({ color: 0, ...role })), members: new Map() }
}

const ok = (json: unknown) => ({ status: 200, json })
const error = (status: number, code: number, message: string) => ({ status, json: { code, message } })

function failWith(fault: '429' | '500' | 'drop', response: ServerResponse): void {
  if (fault === 'drop') return void response.destroy()
  const isLimit = fault === '429'
  response.writeHead(Number(fault), {
    'content-type': 'application/json',
    ...(isLimit && { 'retry-after': '1', 'x-ratelimit-scope': 'user' }),
  })
  response.end(
    JSON.stringify(
      isLimit ? { message: 'You are being rate limited.', retry_after: 0.3, global: false } : {},
    ),
  )
}

async function post(url: string, body: string, headers: Record<string, string>) {
  try {
    const response = await fetch(url, { method: 'POST', body, headers })
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) }
  } catch {
    return undefined
  }
}
