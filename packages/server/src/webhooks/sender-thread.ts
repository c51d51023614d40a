/** The thread behind `sender.ts`: sends every message that it is given, and tells what came back. */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { AddressRules } from './address.ts'
import { type Message, type SendOutcome, sender } from './request.ts'
import { dnsResolver } from './resolve.ts'

export type Order = { readonly id: number; readonly message: Message }
export type Sent = { readonly id: number; readonly outcome: SendOutcome }

// A message that woke the thread would otherwise take the processor from the service at once. Linux takes 0 for this thread
// alone, others for the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW)

const rules: AddressRules = workerData
const send = sender({ rules, resolve: dnsResolver(rules) })
parentPort?.on('message', async ({ id, message }: Order) => {
  const sent: Sent = { id, outcome: await send(message) }
  parentPort?.postMessage(sent)
})
