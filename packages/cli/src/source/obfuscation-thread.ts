/** Worker thread of `obfuscating.ts`. */

import { parentPort, workerData } from 'node:worker_threads'
import { type ObfuscateOptions, obfuscate, type Source } from '@scriptward/obfuscator'

export type ObfuscationTask = { readonly source: Source; readonly options: ObfuscateOptions }

const { source, options } = workerData as ObfuscationTask
parentPort?.postMessage(obfuscate(source, options))
