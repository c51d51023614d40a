/** The thread behind `backup-worker.ts`. It makes one backup and exits. Any message stops it. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { makeBackup, type Order } from './make.ts'
import { BackupFault } from './manifest.ts'

export type Task = { readonly order: Order; readonly folder: string }
export type BackupFile = {
  readonly name: string
  readonly place: string
  readonly made_at: number
  readonly bytes: number
}
export type ThreadAnswer =
  | { readonly made: BackupFile }
  | { readonly failure: string; readonly kind: 'fault' | 'stopped' | 'other' }

const stopping = new AbortController()
parentPort?.once('message', () => stopping.abort())
parentPort?.postMessage(await answerTo(workerData as Task))
parentPort?.close()

async function answerTo({ order, folder }: Task): Promise<ThreadAnswer> {
  try {
    const { place } = await makeBackup(order, { folder }, stopping.signal)
    const { size } = await stat(place)
    return { made: { name: path.basename(place), place, made_at: order.now, bytes: size } }
  } catch (error) {
    const kind = stopping.signal.aborted ? 'stopped' : error instanceof BackupFault ? 'fault' : 'other'
    return { failure: error instanceof Error ? error.message : String(error), kind }
  }
}
