/**
 * Loader builds: a loader is always available, builds are replaced after use, and a failing builder doesn't
 * affect downloads.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { LoaderBuilds } from './loader-builds.ts'

const carry = (core: string) => `plain ${core}`

describe('the store of loader builds', () => {
  it('serves the plain loader until the first build is ready, then adds builds with demand and rotates them', async () => {
    const seeds: number[] = []
    const build = async (core: string, seed: number) => `${core} ${seeds.push(seed)}`
    const loaders = new LoaderBuilds({ read: () => 'core', carry, build, random: randomBytes })
    expect(loaders.takeLoader()).toBe('plain core')
    await loaders.settle()
    expect(seeds).toHaveLength(1)
    for (let download = 1; download < 75; download++) {
      expect(loaders.takeLoader()).toMatch(/^core [1-4]$/)
      await loaders.settle()
    }
    const served = Array.from({ length: 8 }, () => loaders.takeLoader())
    expect(new Set(served)).toEqual(new Set([1, 2, 3, 4].map((seed) => `core ${seed}`)))
    expect(new Set(seeds).size).toBe(4)
  })

  it('replaces a build after serving it five hundred times', async () => {
    let made = 0
    const build = async () => `build ${++made}`
    const loaders = new LoaderBuilds({ read: () => 'core', carry, build, random: randomBytes })
    loaders.takeLoader()
    await loaders.settle()
    for (let i = 0; i < 4 * 500 + 75; i++) {
      loaders.takeLoader()
      await loaders.settle()
    }
    expect(made).toBe(8)
    expect(loaders.takeLoader()).toMatch(/^build [5-8]$/)
  })

  it('keeps serving the plain loader when builds fail, and retries later', async () => {
    let tries = 0
    const build = async () => {
      if (++tries === 1) throw new Error('no thread')
      return tries === 2 ? undefined : 'built'
    }
    const loaders = new LoaderBuilds({ read: () => 'core', carry, build, random: randomBytes })
    for (let i = 0; i < 200; i++) {
      expect(loaders.takeLoader()).toBe('plain core')
      await loaders.settle()
    }
    expect(tries).toBe(2)
    for (let i = 0; i < 3; i++) {
      loaders.takeLoader()
      await loaders.settle()
    }
    expect(loaders.takeLoader()).toBe('built')
  })

  it('never runs two builds at the same time', async () => {
    let running = 0
    let most = 0
    const build = async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running--
      return 'built'
    }
    const loaders = new LoaderBuilds({ read: () => 'core', carry, build, random: randomBytes })
    for (let i = 0; i < 50; i++) loaders.takeLoader()
    await loaders.settle()
    expect(most).toBe(1)
  })
})
