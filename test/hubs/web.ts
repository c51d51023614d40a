/**
 * Serves all hosts of the hubs in this folder on one local server. For example, `https://keys.example/check`
 * becomes the path `/keys.example/check`.
 */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Script names, keyed by their IDs on the service that the hubs migrate from. */
const SCRIPTS: Readonly<Record<string, string>> = { f41a: 'Farm', r41b: 'Race', p41c: 'Farm Premium' }
const PLACES: Readonly<Record<string, string>> = { 4100000000001: 'Farm', 4100000000002: 'Race' }

const running = (name: string | undefined) => `print("${name} runs")`

export class Web {
  /** The only key that the other services accept. */
  key = ''
  /** Changes a file of a hub before it is sent. */
  edit: (name: string, text: string) => string = (_, text) => text
  /** Paths that were requested. */
  readonly requests: string[] = []
  readonly #server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://web')
    this.requests.push(pathname)
    const text = this.#answer(pathname, searchParams)
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(text)
  })

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  #answer(path: string, query: URLSearchParams): string | undefined {
    const isValid = query.get('key') === this.key
    switch (path) {
      case '/keys.example/library.lua':
        return file('other-service.luau')
      case '/keys.example/check':
        return isValid ? 'KEY_VALID;The key is valid.;-1;Ann' : 'KEY_INCORRECT;This key does not exist.;0;'
      case '/keys.example/script':
        return isValid ? running(SCRIPTS[query.get('script') ?? '']) : 'error("wrong key", 0)'
      case '/ember.example/script':
        return isValid ? running(PLACES[query.get('place') ?? '']) : 'error("wrong key", 0)'
      case '/tundra.example/valid':
        return String(isValid)
      case '/paste.example/raw/key.txt':
        return this.key
      case '/hub.example/farm.luau':
        return running('Farm')
      case '/hub.example/race.luau':
        return running('Race')
      case '/ui.example/ui.luau':
        return file('ui.luau')
    }
    const [, name] = /^\/hub\.example\/([\w-]+\.luau)$/.exec(path) ?? []
    return name && this.edit(name, file(name))
  }
}

export const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
