/**
 * Sending over real sockets: which data counts as a response, which responses are cut off, and which
 * destinations never receive anything.
 */
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '../../../../test/certificate.ts'
import { freePort } from '../../../../test/ports.ts'
import {
  listen,
  PATIENT,
  type Receiver,
  startReceiver,
  status,
  WEBHOOKS,
} from '../../../../test/webhooks/receiver.ts'
import { dnsResolver, type Resolve } from './resolve.ts'
import { type Sending, type SendOutcome, sender } from './send.ts'

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

function send(address: string, changes: Partial<Sending> = {}): Promise<SendOutcome> {
  const sending = { rules: WEBHOOKS, resolve: dnsResolver(WEBHOOKS), ...PATIENT, ...changes }
  return sender(sending)({ address, headers: { 'content-type': 'application/json' }, body: '{"a":"ä"}' })
}

async function serving(listener: Parameters<typeof listen>[0]): Promise<string> {
  const { port, close } = await listen(listener)
  closing.push(close)
  return `http://127.0.0.1:${port}/`
}

describe('a message', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  beforeAll(async () => {
    receiver = await startReceiver()
    closing.push(() => receiver.close())
  })
  const count = ({ received }: Receiver) => received.length

  it('arrives as written, and its response comes back', async () => {
    receiver.answer(status(201, { 'x-own': '1' }, 'thanks'))
    const outcome = await send(`${receiver.url}?a=1`)
    expect(outcome).toMatchObject({ status: 201, text: 'thanks', headers: { 'x-own': '1' } })
    expect(receiver.received.at(-1)).toMatchObject({ path: '/hook?a=1', text: '{"a":"ä"}' })
  })

  it('follows no redirect', async () => {
    const before = count(receiver)
    receiver.answer(status(307, { location: receiver.url }))
    expect(await send(receiver.url)).toMatchObject({ status: 307 })
    expect(count(receiver)).toBe(before + 1)
  })

  it('ignores proxies from the environment', async () => {
    const before = process.env.http_proxy
    process.env.http_proxy = 'http://127.0.0.1:1/'
    receiver.answer(status(200))
    const outcome = await send(receiver.url).finally(() => {
      if (before === undefined) delete process.env.http_proxy
      else process.env.http_proxy = before
    })
    expect(outcome).toMatchObject({ status: 200 })
  })

  it('reaches a name whose network the operator allows', async () => {
    receiver.answer(status(200))
    expect(await send(`http://localhost:${receiver.port}/`)).toMatchObject({ status: 200 })
  })
})

describe('a response', () => {
  it('that never comes is abandoned', async () => {
    const url = await serving(() => {})
    expect(await send(url, { totalMs: 200 })).toEqual({ error: 'no complete response within 0.2 s' })
  })

  it('that drips is abandoned', async () => {
    const url = await serving((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    expect(await send(url, { totalMs: 300 })).toEqual({ error: 'no complete response within 0.3 s' })
  })

  it('that never ends is read up to the limit and counts as a success', async () => {
    let isOpen = true
    const url = await serving((_request, response) => {
      response.on('close', () => {
        isOpen = false
      })
      const more = () => {
        while (isOpen && response.write('y'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const outcome = await send(url)
    expect(outcome).toMatchObject({ status: 200 })
    expect('text' in outcome && outcome.text.length).toBe(65_536)
    await expect.poll(() => isOpen).toBe(false)
  })

  it('that is not HTTP is a failure', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-x\r\n\r\n')).listen(0, '127.0.0.1')
    closing.push(async () => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ error: 'the response was not HTTP' })
  })

  it('cut off by the end of the connection is a failure', async () => {
    const url = await serving((request) => request.socket.destroy())
    expect(await send(url)).toEqual({ error: 'the connection was closed before a response arrived' })
  })

  it('from a port without a listener is a failure', async () => {
    expect(await send(`http://127.0.0.1:${await freePort()}/`)).toEqual({
      error: 'the connection was refused',
    })
  })
})

describe('nothing is sent', () => {
  const blocked = { error: 'the host is this machine or on a private network' }
  const strict = { ...WEBHOOKS, webhookAllowCidr: [] }

  /** Returns whether a connection was made, whatever the response is. */
  async function watched(run: (port: number) => Promise<SendOutcome>) {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '0.0.0.0')
    await new Promise((resolve) => server.once('listening', resolve))
    const outcome = await run((server.address() as AddressInfo).port)
    server.close()
    return { outcome, connections }
  }
  const answering =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

  it('to an IP address that was allowed when it was saved but is not anymore', async () => {
    const seen = await watched((port) => send(`http://127.0.0.1:${port}/`, { rules: strict }))
    expect(seen).toEqual({
      outcome: { error: expect.stringContaining('must point to a public host') },
      connections: 0,
    })
  })

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a public and a private address', ['93.184.216.34', '127.0.0.1']],
    ['an IPv6 form of a private address', ['::ffff:127.0.0.1']],
    ['something that is not an IP address', ['localhost']],
  ])('to a name that resolves to %s', async (_, addresses) => {
    const seen = await watched((port) =>
      send(`http://name.example:${port}/`, { rules: strict, resolve: answering(...addresses) }),
    )
    expect(seen).toEqual({ outcome: blocked, connections: 0 })
  })

  it('to the new address of a name that changes after the check, because a name is resolved once', async () => {
    let asked = 0
    const rebinding: Resolve = async () => {
      asked += 1
      return [{ address: asked === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }]
    }
    const rules = { ...WEBHOOKS, webhookAllowCidr: ['192.0.2.0/24'] }
    const seen = await watched((port) =>
      send(`http://name.example:${port}/`, { rules, resolve: rebinding, connectMs: 300 }),
    )
    expect(seen.connections).toBe(0)
    expect(seen.outcome).toHaveProperty('error')
    expect(asked).toBe(1)
  })

  it('to a name that cannot be resolved, and internal errors are not revealed', async () => {
    const failing: Resolve = async () => {
      throw new Error('queryA ESERVFAIL 10.0.0.53')
    }
    expect(await send('https://name.example/', { resolve: failing })).toEqual({
      error: 'the host name could not be resolved',
    })
  })

  it('to a name whose server does not respond', async () => {
    const silent: Resolve = () => new Promise(() => {})
    expect(await send('https://name.example/', { resolve: silent, connectMs: 100 })).toEqual({
      error: 'no connection within 0.1 s',
    })
  })
})

describe('over TLS', () => {
  it('nothing is sent to a host with an untrusted certificate', async () => {
    let requests = 0
    const server = createTlsServer(makeCertificate(), (_request, response) => {
      requests += 1
      response.end()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const outcome = await send(`https://127.0.0.1:${port}/`)
    server.close()
    expect(outcome).toEqual({ error: expect.stringContaining('check the host') })
    expect(requests).toBe(0)
  })
})
