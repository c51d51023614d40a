/**
 * Asks one address again and again and throws away what comes. Asking costs less than answering, and
 * so many requests are in flight that the server is never idle: its processor time would otherwise measure wake-ups.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

const CONNECTIONS = 32
const HEAD_END = Buffer.from('\r\n\r\n')
const READ_BYTES = 65_536

/** Rejects when anything but a 200 of a known length comes back. */
export async function ask(url: string, requests: number): Promise<void> {
  const { host, hostname, port, pathname } = new URL(url)
  const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  let unsent = requests
  const line = async () => {
    let missing = 0
    const callback = (read: number, bytes: Uint8Array) => {
      missing += (missing > 0 ? 0 : lengthOf(Buffer.from(bytes.buffer, 0, read))) - read
      if (missing === 0) next()
      return true
    }
    // A buffer that is used again: one for each piece that comes costs more than all the rest.
    const onread = { buffer: Buffer.alloc(READ_BYTES), callback }
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
    const next = () => (unsent-- > 0 ? socket.write(request) : socket.end())
    socket.on('connect', next)
    await once(socket, 'close')
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, line))
}

/** Bytes of a whole answer, by its first bytes; over loopback a head comes in one piece. */
function lengthOf(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END)
  const head = bytes.toString('latin1', 0, Math.max(0, end))
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`answered: ${head}`)
  return end + HEAD_END.length + Number(length)
}
