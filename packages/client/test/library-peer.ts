// Simulates the server in tests of the library for script hubs. A test chooses each response: an answer,
// which is signed, or any unsigned response.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { libraryCore, renderLibrary } from '../src/bundle.ts'
import { signLibraryAnswer } from '../src/check-answers.ts'
import { readLibraryCheck } from '../src/hello.ts'
import type { LibraryCheck } from '../src/messages.ts'
import { ed25519Pair, fromB64u, toB64u } from '../src/wire.ts'

type Answer = string | { readonly status: number; readonly text: string }
/** Returns the fields of the answer to sign, or an unsigned response. */
type Decide = (check: LibraryCheck, body: string) => Answer | object

export const VALID = {
  ...{
    success: true,
    code: 0,
    reason: 'valid',
    key_expires: null,
    executions: 7,
    note: 'for Ä',
    bound: true,
  },
  ...{ plan: 'Pro', features: { turbo: true }, tags: [], metadata: null, vars: { motd: 'hello' } },
  ...{ in_grace: false, status: 'active', details: null, retry_after: null },
  ...{ typo: false, message: null, link: null, get_key: null },
}

export const ST = 1_790_000_000_000

export class LibraryPeer {
  readonly requests: string[] = []
  readonly checks: LibraryCheck[] = []
  decide: Decide = () => VALID
  /** Responses to other requests, by path. */
  pages: Readonly<Record<string, string>> = {}
  readonly signing = ed25519Pair(randomBytes(32))
  readonly #server: Server = createServer(async (request, response) => {
    const body = await readBody(request)
    this.requests.push(`${request.method} ${request.url}`)
    const { status, text } = this.#answer(request, body)
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
  })

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  reset(): void {
    Object.assign(this, { decide: () => VALID, pages: {} })
    this.requests.length = 0
    this.checks.length = 0
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  library(urls: readonly string[] = [this.url]): string {
    const pins = [randomBytes(32), this.signing.publicKey].map(toB64u)
    return renderLibrary(libraryCore(), { urls, pins })
  }

  sign(members: object, body: string, { privateKey } = this.signing): string {
    const asked = createHash('sha256').update(`lp1 asked\0${body}`).digest('base64url')
    return signLibraryAnswer(privateKey, { ...members, nonce: 'of the request', asked, st: ST })
  }

  #answer({ method, url = '' }: IncomingMessage, sent: string): { status: number; text: string } {
    const { pathname, searchParams } = new URL(url, this.url)
    const page = this.pages[pathname]
    if (page !== undefined) return { status: 200, text: page }
    if (pathname !== '/library/check') return { status: 404, text: '' }
    const body = method === 'GET' ? (searchParams.get('b') ?? '') : sent
    const check = readLibraryCheck(fromB64u(body) ?? Buffer.alloc(0))
    if ('mend' in check) return { status: 400, text: `${check.member} ${check.mend}` }
    this.checks.push(check)
    const answer = this.decide(check, body)
    if (typeof answer === 'string') return { status: 200, text: answer }
    return 'text' in answer
      ? (answer as { status: number; text: string })
      : { status: 200, text: this.sign(answer, body) }
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
