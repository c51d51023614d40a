/** A job whose source says how it shall fail, since the real obfuscator cannot be made to. */
import type { Task } from '../../src/obfuscation/build.ts'

const failures: Record<string, () => unknown> = {
  loop: () => {
    for (;;);
  },
  throw: () => {
    throw new TypeError('a fault')
  },
  'fill arrays': () => grow(() => new Array(1000).fill(Math.random())),
  'fill a list': () => grow(() => Math.random()),
  'fill buffers': () => grow(() => new Uint8Array(100_000).fill(1)),
  'fill objects': () => grow((index) => ({ index, list: [index, index] })),
}

export function run({ source }: Task): unknown {
  return failures[source]?.() ?? { payload: new Uint8Array(), size: 0, report: {}, durationMs: 0 }
}

function grow(next: (index: number) => unknown): never {
  const kept: unknown[] = []
  for (let index = 0; ; index++) kept.push(next(index))
}
