import { describe, expect, it } from 'vitest'
import { draftOf } from './draft.ts'
import { summaryOf } from './summary-text.ts'

describe('the sentence about a plan', () => {
  it('names the duration, limits, resets and content', () => {
    const draft = { ...draftOf(), max_devices: '2', max_instances: '3', resets: '5', quota: '10' }
    const features = [{ name: 'turbo', kind: 'yes' as const, value: '' }]
    expect(summaryOf({ ...draft, all_scripts: false, scripts: ['scr_1'], features })).toBe(
      '30 days from first run, 2 devices, 3 concurrent runs, 10 runs/day, 5 resets a month, 1 script, turbo.',
    )
  })

  it('leaves out what is not valid yet', () => {
    const draft = { ...draftOf(), amount: '', max_instances: 'many', resets: '1', resetsDays: '3' }
    expect(summaryOf(draft)).toBe('1 device, 1 reset in 3 days.')
  })
})
