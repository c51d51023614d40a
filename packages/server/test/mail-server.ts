/** Runs a mail server that accepts or rejects all messages, and stores the accepted ones. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

type Received = { readonly from: string; readonly to: string; readonly text: string }

export type MailServer = {
  readonly url: string
  readonly received: Received[]
  /** Rejects every recipient with this response, which echoes the request. */
  refuse: boolean
  /** Rejects these recipients. */
  readonly unknown: Set<string>
  /** Rejects every login with a response that repeats the credentials. */
  refuseLogin: boolean
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    converse(socket, server)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const server: MailServer = {
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    received: [],
    refuse: false,
    unknown: new Set(),
    refuseLogin: false,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
  return server
}

/** Implements the part of RFC 5321 that Scriptward's mail client uses. */
function converse(socket: Socket, server: MailServer): void {
  let rest = ''
  let mail = { from: '', to: '' }
  let lines: string[] | undefined
  const answer = (text: string) => socket.write(`${text}\r\n`)
  const take = (line: string) => {
    if (lines !== undefined && line !== '.') return void lines.push(line)
    if (lines !== undefined) {
      const text = lines.join('\n')
      lines = undefined
      if (server.refuse) return answer(`554 refused: ${text.replaceAll('\n', ' ')}`)
      server.received.push({ ...mail, text })
      return answer('250 taken')
    }
    const address = /<(.*)>/.exec(line)?.[1] ?? ''
    if (/^MAIL/i.test(line)) mail = { from: address, to: '' }
    if (/^RCPT/i.test(line) && server.unknown.has(address)) return answer('550 5.1.1 no such recipient')
    if (/^RCPT/i.test(line)) mail = { ...mail, to: address }
    if (server.refuseLogin && /^EHLO/i.test(line)) return answer('250-test\r\n250 AUTH PLAIN')
    if (/^AUTH/i.test(line)) return answer(`535 5.7.8 wrong login: ${line}`)
    if (/^QUIT/i.test(line)) return socket.end('221 bye\r\n')
    if (/^DATA/i.test(line)) lines = []
    return answer(lines === undefined ? '250 ok' : '354 go on')
  }
  answer('220 test')
  socket.on('data', (chunk) => {
    const parts = (rest + chunk.toString('latin1')).split('\r\n')
    rest = parts.pop() ?? ''
    for (const line of parts) take(line)
  })
}
