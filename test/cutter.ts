/** A local TCP relay to one address. Tests can cut its connections. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { listenOnFreePort } from '../packages/server/test/ports.ts'

/** `talks` allows requests but no WebSockets, as some networks do. */
export type WireState = 'open' | 'talks' | 'down'

const SOCKET_PATH = 'GET /client/v1/ws '

export class Cutter {
  /** Number of rejected connections. */
  refused = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #state: WireState = 'open'

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#server = createServer((near) => {
      this.#keep(near)
      if (this.#state === 'down') return this.#refuse(near)
      near.once('data', (start) => {
        if (this.#state === 'talks' && start.toString('latin1').startsWith(SOCKET_PATH))
          return this.#refuse(near)
        const far = connect(Number(port), hostname)
        this.#keep(far)
        far.write(start)
        near.pipe(far).pipe(near)
        near.on('close', () => far.destroy())
        far.on('close', () => near.destroy())
      })
    })
  }

  async listen(): Promise<this> {
    await listenOnFreePort(this.#server)
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get isIdle(): boolean {
    return this.#sockets.size === 0
  }

  /** Sets how new connections are treated. */
  set(state: WireState): void {
    this.#state = state
  }

  /** Ends all connections, and rejects new ones until the next `set`. */
  cut(): void {
    this.#state = 'down'
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
  }

  #refuse(socket: Socket): void {
    this.refused += 1
    socket.destroy()
  }
}
