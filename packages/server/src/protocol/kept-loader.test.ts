/**
 * The loader for hosts that store it as a file is built once, always with the same seed, and no request waits
 * for the build.
 */
import { describe, expect, it } from 'vitest'
import { KeptLoader } from './kept-loader.ts'

const read = () => 'core'

describe('the loader that hosts keep', () => {
  it('is built once, with its own seed, by the first request', async () => {
    const seeds: number[] = []
    const build = async (core: string, seed: number) => `${core} ${seeds.push(seed)}`
    const loader = new KeptLoader({ read, build }, 7)
    await loader.settle()
    expect(seeds).toEqual([])
    expect([loader.take(), loader.take()]).toEqual([undefined, undefined])
    await loader.settle()
    expect([loader.take(), loader.take()]).toEqual(['core 1', 'core 1'])
    expect(seeds).toEqual([7])
  })

  it('is missing if its build fails, which is tried again later', async () => {
    let tries = 0
    const build = async () => {
      if (++tries === 1) throw new Error('no thread')
      return tries === 2 ? undefined : 'built'
    }
    const loader = new KeptLoader({ read, build }, 7)
    for (let i = 0; i < 250; i++) {
      loader.take()
      await loader.settle()
    }
    expect(tries).toBe(3)
    expect(loader.take()).toBe('built')
  })
})
