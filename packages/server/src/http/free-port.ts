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
    const held = isBlocked(port) ? undefined : await holdPort(host, port).catch(passTaken)
    if (held !== undefined) return held
  }
}

function passTaken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EADDRINUSE') throw error
}

/**
 * Listens on the port until it is released, and closes connections immediately. Rejects with the system's
 * error if that is not possible.
 */
export async function holdPort(host: string, port: number): Promise<HeldPort> {
  const holder = createServer((socket) => socket.destroy())
  await once(holder.listen(port, host), 'listening')
  const release = async () => {
    if (!holder.listening) return
    holder.close()
    await once(holder, 'close')
  }
  return { port, release }
}
