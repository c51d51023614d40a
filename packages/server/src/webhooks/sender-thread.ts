/** The thread behind `sender.ts`: signs and sends every message that it is given, and tells what came back. */

import type { KeyObject } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { AddressRules } from './address.ts'
import { type SendOutcome, sender } from './request.ts'
import { dnsResolver } from './resolve.ts'
import { signedSend, type Unsigned } from './sign.ts'

export type Given = { readonly rules: AddressRules; readonly privateKey: KeyObject }
export type Order = { readonly id: number; readonly message: Unsigned }
export type Sent = { readonly id: number; readonly outcome: SendOutcome }

// A message that woke the thread would otherwise take the processor from the service at once. Linux takes 0 for this thread
// alone, others for the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW)

const { rules, privateKey }: Given = workerData
const send = signedSend(sender({ rules, resolve: dnsResolver(rules) }), privateKey)
parentPort?.on('message', async ({ id, message }: Order) => {
  const sent: Sent = { id, outcome: await send(message) }
  parentPort?.postMessage(sent)
})
