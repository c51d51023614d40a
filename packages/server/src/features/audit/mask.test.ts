/** Which values the audit log hides. */
import { expect, it } from 'vitest'
import { masked } from './mask.ts'

it("hides a command line's state, but not the state of a script or an error", () => {
  expect(masked({ state: 'bm90IGEgc2VjcmV0' })).toEqual({ state: '•••' })
  for (const state of [true, false, 'resolved']) expect(masked({ state })).toEqual({ state })
})
