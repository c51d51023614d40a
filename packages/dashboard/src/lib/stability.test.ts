import { expect, it } from 'vitest'
import { stabilityOf } from './stability.ts'

it('rates a share without crashes in three steps', () => {
  expect([1, 0.99, 0.989, 0.977, 0.95, 0.949, 0].map(stabilityOf)).toEqual([
    ...['stable', 'stable', 'fair', 'fair', 'fair'],
    ...['unstable', 'unstable'],
  ])
})
