/** A job that fails in the way its source selects. The real obfuscator can't be made to fail. */
import { parentPort } from 'node:worker_threads'
import type { Task } from '../../src/features/builds/build.ts'
import { READY } from '../../src/features/builds/job-ready.ts'

const failures: Record<string, () => unknown> = {
  loop: () => {
    for (;;);
  },
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  leave: () => process.exit(),
  throw: () => {
    throw new TypeError('a fault')
  },
  'fill arrays': () => grow(() => new Array(1000).fill(Math.random())),
  'fill a list': () => grow(() => Math.random()),
  'fill buffers': () => grow(() => new Uint8Array(100_000).fill(1)),
  'fill objects': () => grow((index) => ({ index, list: [index, index] })),
}

parentPort?.on('message', ({ source }: Task) => {
  const built = { payload: new Uint8Array(), size: 0, slots: [], pads: [], report: {}, durationMs: 0 }
  parentPort?.postMessage(failures[String(source)]?.() ?? built)
})
parentPort?.postMessage(READY)

function grow(next: (index: number) => unknown): never {
  const kept: unknown[] = []
  for (let index = 0; ; index++) kept.push(next(index))
}
