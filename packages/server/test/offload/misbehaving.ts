/** Jobs that fail in the way their input selects. Real jobs can't be made to fail. */
import { parentPort } from 'node:worker_threads'
import { READY } from '../../src/features/builds/job-ready.ts'

const failures: Record<string, () => unknown> = {
  loop: () => {
    for (;;);
  },
  fill: () => {
    const kept: unknown[] = []
    for (let index = 0; ; index++) kept.push({ index, list: [index, index] })
  },
  throw: () => {
    throw new TypeError('a fault')
  },
  later: () => {
    setImmediate(() => process.exit())
    return ['answered']
  },
}

parentPort?.on('message', ({ input }: { readonly input: { readonly text: string } }) => {
  parentPort?.postMessage(failures[input.text]?.() ?? [input.text])
})
parentPort?.postMessage(READY)
