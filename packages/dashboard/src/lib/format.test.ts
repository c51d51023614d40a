import { expect, it } from 'vitest'
import { percent } from './format.ts'

it('shows only a whole as 100%', () => {
  expect([1, 0.999_96, 0.9985, 0.5, 0].map(percent)).toEqual(['100%', '99.9%', '99.9%', '50%', '0%'])
})
