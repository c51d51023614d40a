/**
 * Provides one address for several servers. Only one server is reachable at a time, and connections to the
 * others are closed.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class TcpSwitch {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #port: number

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((near) => this.#join(near))
  }

  /** Listens on a free port of 127.0.0.1, and forwards connections to another port of that address. */
  static async open(port: number): Promise<TcpSwitch> {
    const made = new TcpSwitch(port)
    made.#server.listen(0, '127.0.0.1')
    await once(made.#server, 'listening')
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes all connections. New connections are forwarded to this port. */
  leadTo(port: number): void {
    this.#port = port
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(near: Socket): void {
    const far = connect(this.#port, '127.0.0.1')
    for (const [one, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        peer.destroy()
      })
    }
    near.pipe(far).pipe(near)
  }
}
