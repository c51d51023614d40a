/** Starts a proxy that intercepts TLS connections with its own CA, as the proxies of many companies do. */
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { signCertificate } from '../packages/server/test/certificate-authority.ts'
import { listenOnFreePort } from '../packages/server/test/ports.ts'

export type Proxy = { readonly url: string; readonly caFile: string; close(): void }

/**
 * Responds to all HTTPS requests itself, with a certificate for `host`. The key files are written to
 * `folder`.
 */
export async function startProxy(host: string, folder: string, answer: RequestListener): Promise<Proxy> {
  const { key, chain, caFile } = signCertificate(`DNS:${host}`, folder)
  const secure = createSecureServer({ key, cert: chain }, answer)
  const proxy = createServer().on('connect', (_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    secure.emit('connection', socket)
  })
  const port = await listenOnFreePort(proxy)
  return { url: `http://127.0.0.1:${port}`, caFile, close: () => void proxy.close() }
}
