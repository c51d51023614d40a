/**
 * Asks one address for many users, in a process of its own, and prints requests a second: `drive.ts <url> <key> [s]`.
 * It does next to nothing with what it gets, so that the server it asks is what is busy.
 */
import { connect } from 'node:net'

const [url = '', token = '', seconds = '2'] = process.argv.slice(2)
const USERS = 1_000_000
const CONNECTIONS = 32
const PREPARED = 50_000
const HEAD_END = Buffer.from('\r\n\r\n')

const { hostname, port, host } = new URL(url)
const requests = Array.from({ length: PREPARED }, () => {
  const key = String(Math.floor(Math.random() * USERS) + 1).padStart(32, '0')
  return Buffer.from(`GET /users/${key} HTTP/1.1\r\nhost: ${host}\r\ntoken: ${token}\r\n\r\n`)
})
let sent = 0
let answered = 0

function drive(): void {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let pending = Buffer.alloc(0)
  const ask = () => socket.write(requests[sent++ % PREPARED] ?? '')
  socket.on('connect', ask)
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const size = sizeOf(pending)
    if (size === undefined || pending.length < size) return
    pending = pending.subarray(size)
    answered += 1
    ask()
  })
}

/** Bytes of the answer at the start, once its head is there; anything but a 200 is a broken measurement. */
function sizeOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(head)
  return end + HEAD_END.length + Number(length)
}

for (let count = 0; count < CONNECTIONS; count += 1) drive()
setTimeout(() => {
  console.log(answered / Number(seconds))
  process.exit()
}, Number(seconds) * 1000)
