/** Tests the command line against servers whose certificates this machine doesn't trust. */
import { createServer, type Server } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCertificate } from '../packages/server/test/certificate.ts'
import { type Certificate, signCertificate } from '../packages/server/test/certificate-authority.ts'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { commandFolder, type Folder } from './command-line-scene.ts'

let folder: Folder
let signed: Certificate
const servers: Server[] = []

beforeAll(() => {
  folder = commandFolder(() => ({ SCRIPTWARD_TOKEN: 'swt_wrong' }))
  signed = signCertificate('IP:127.0.0.1', folder.path)
})
afterAll(() => {
  for (const server of servers) server.close()
  folder.remove()
})

/** Starts a server that rejects every token. */
async function serving(key: Buffer, cert: Buffer): Promise<string> {
  const error = { code: -1, type: 'unauthorized', message: 'invalid token', request_id: 'r' }
  const server = createServer({ key, cert }, (_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: false, error }))
  })
  servers.push(server)
  return `https://127.0.0.1:${await listenOnFreePort(server)}`
}

test('an unknown CA, of the server or of a proxy, is named with the setting that makes it known', async () => {
  const url = await serving(signed.key, signed.chain)
  const { status, stderr } = await folder.run(['whoami', '--url', url])
  expect(stderr).toContain(`Can't reach ${url} (SELF_SIGNED_CERT_IN_CHAIN)`)
  expect(stderr).toContain('set NODE_EXTRA_CA_CERTS to the CA certificate file')
  expect(status).toBe(4)
  const trusting = folder.start(['whoami', '--url', url], { NODE_EXTRA_CA_CERTS: signed.caFile })
  expect(await trusting.ended).toBe(3)
  expect(trusting.err).toContain('rejected this token')
})

test('a self-signed certificate is named with the setting that makes it known', async () => {
  const { key, cert } = makeCertificate()
  const { status, stderr } = await folder.run(['whoami', '--url', await serving(key, cert)])
  expect(stderr).toContain('its certificate is self-signed; set NODE_EXTRA_CA_CERTS')
  expect(status).toBe(4)
})
