/** Worker thread of `obfuscating.ts`. */

import { parentPort, workerData } from 'node:worker_threads'
import { deriveKeyStreams } from '@scriptward/client/leases'
import { type ObfuscateOptions, obfuscate, type Source } from '@scriptward/obfuscator'

/** `serviceKey` opens the locks, as on a server. Without it, nothing is locked under a server key. */
export type ObfuscationTask = {
  readonly source: Source
  readonly options: ObfuscateOptions
  readonly serviceKey?: Uint8Array
}

const { source, options, serviceKey } = workerData as ObfuscationTask
parentPort?.postMessage(
  obfuscate(source, serviceKey ? { ...options, servicePad: deriveKeyStreams(serviceKey) } : options),
)
