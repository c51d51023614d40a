/** The thread behind `sender.ts`: signs and sends every message that it is given, and tells what came back. */

import { execFile } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { existsSync, readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { AddressRules } from './address.ts'
import { type SendOutcome, sender } from './request.ts'
import { dnsResolver } from './resolve.ts'
import { signedSend, type Unsigned } from './sign.ts'

export type Given = { readonly rules: AddressRules; readonly privateKey: KeyObject }
export type Order = { readonly id: number; readonly message: Unsigned }
export type Sent = { readonly id: number; readonly outcome: SendOutcome }

const OWN_THREAD = '/proc/thread-self'

if (process.platform === 'linux') standBack()

const { rules, privateKey }: Given = workerData
const send = signedSend(sender({ rules, resolve: dnsResolver(rules) }), privateKey)
parentPort?.on('message', async ({ id, message }: Order) => {
  const sent: Sent = { id, outcome: await send(message) }
  parentPort?.postMessage(sent)
})

/**
 * A message that wakes the thread shall not take the processor from the service: the lowest priority keeps its share small, but only
 * a batch's is not given the processor at once. Without `chrt` it is the priority alone.
 */
function standBack(): void {
  // Linux takes 0 for this thread alone, others for the whole process.
  setPriority(0, constants.priority.PRIORITY_LOW)
  if (!existsSync(OWN_THREAD)) return
  const number = path.basename(readlinkSync(OWN_THREAD))
  execFile('chrt', ['-b', '-p', '0', number], { env: {} }, () => {})
}
