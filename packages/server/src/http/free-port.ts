/** A free port, for a server that has to know its port before it listens. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { isBlocked } from './blocked-ports.ts'

/** Ports from 32,768 on are avoided, because the system uses them for outgoing connections. */
const choose = () => randomInt(10_000, 32_768)

export type HeldPort = {
  readonly port: number
  /** Call this immediately before listening on the port. May be called again. */
  release(): Promise<void>
}

/**
 * Chooses a port that no browser blocks, and listens on it until it is released, because another process
 * could otherwise take it in the meantime. Rejects with the system's error if the host cannot be used.
 */
export async function holdFreePort(host: string, chosen: () => number = choose): Promise<HeldPort> {
  for (;;) {
    const port = chosen()
    const holder = isBlocked(port) ? undefined : await listenOn(host, port)
    if (holder === undefined) continue
    const release = async () => {
      if (!holder.listening) return
      holder.close()
      await once(holder, 'close')
    }
    return { port, release }
  }
}

/** Resolves to undefined if the port is taken. Closes connections immediately. */
async function listenOn(host: string, port: number) {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen(port, host), 'listening')
    return server
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}
