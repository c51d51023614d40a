/**
 * Runs simulated scripts in a separate process. The process receives the scripts, the target URL and the
 * source addresses, and reports its observations on request.
 */
import { Agent } from 'node:http'
import type { Instance } from '../sessions-server.ts'
import { BeatingScript } from './beating.ts'
import { ConnectedScript } from './connected.ts'
import { type Report, Tally } from './tally.ts'

export type Orders = {
  readonly kind: 'beats' | 'sockets'
  readonly url: string
  readonly localAddresses: readonly string[]
  readonly instances: readonly Instance[]
  /**
   * Position of this process's first script among all scripts. A script's position determines its IP address.
   */
  readonly firstNumber: number
}

const CONNECTIONS_EACH = 64
/** Maximum number of connections that are opened concurrently. */
const AT_ONCE = 50
/**
 * Requests rotate through the connections, because the proxy or the server would close any that stay idle.
 */
const AGENT = { keepAlive: true, maxSockets: CONNECTIONS_EACH, scheduling: 'fifo' } as const

const tally = new Tally()
let scripts: readonly (BeatingScript | ConnectedScript)[] = []

process.on('message', async (message: Orders | 'report') => {
  if (message === 'report') process.send?.(report())
  else {
    await begin(message)
    process.send?.('started')
  }
})
process.on('disconnect', () => process.exit())

function report(): Report {
  const inState = (state: string) => scripts.filter((one) => one.state === state).length
  return { ...tally.take(), well: inState('well'), failing: inState('failing') + inState('waits') }
}

async function begin(orders: Orders): Promise<void> {
  if (orders.kind === 'beats') beginBeats(orders)
  else await beginSockets(orders)
}

function beginBeats({ url, localAddresses, instances, firstNumber }: Orders): void {
  const agents = localAddresses.map((localAddress) => new Agent({ ...AGENT, localAddress }))
  const beating = instances.map((instance, i) => {
    const agent = agents[i % agents.length] as Agent
    return new BeatingScript(instance, { url, agent, address: addressOf(firstNumber + i), tally })
  })
  scripts = beating
  for (const one of beating) one.start()
}

async function beginSockets({ url, localAddresses, instances, firstNumber }: Orders): Promise<void> {
  const connected = instances.map((instance, i) => {
    const localAddress = localAddresses[i % localAddresses.length] ?? ''
    return new ConnectedScript(instance, { url, localAddress, address: addressOf(firstNumber + i), tally })
  })
  scripts = connected
  const inTurn = async (first: number) => {
    for (let i = first; i < connected.length; i += AT_ONCE) await connected[i]?.start()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => inTurn(first)))
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
