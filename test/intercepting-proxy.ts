/** A proxy that opens encrypted connections with a CA of its own, as those of many companies do. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import path from 'node:path'
import { listenOnFreePort } from '../packages/server/test/ports.ts'

export type Proxy = { readonly url: string; readonly caFile: string; close(): void }

/** Answers every HTTPS request to `host` itself. The key files are written to `folder`. */
export async function startProxy(host: string, folder: string, answer: RequestListener): Promise<Proxy> {
  const file = (name: string) => path.join(folder, name)
  const make = (name: string, ...words: string[]) => {
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)]
    execFileSync('openssl', ['req', '-x509', '-days', '1', ...key, ...words], { stdio: 'pipe' })
  }
  make('ca', '-subj', '/CN=CA of the proxy')
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key')]
  make('host', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, ...signed)
  const chain = Buffer.concat([readFileSync(file('host.pem')), readFileSync(file('ca.pem'))])
  const secure = createSecureServer({ key: readFileSync(file('host.key')), cert: chain }, answer)
  const proxy = createServer().on('connect', (_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    secure.emit('connection', socket)
  })
  const port = await listenOnFreePort(proxy)
  return { url: `http://127.0.0.1:${port}`, caFile: file('ca.pem'), close: () => void proxy.close() }
}
