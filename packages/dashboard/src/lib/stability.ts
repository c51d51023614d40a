/** How a share of customers or runs without a crash is rated. */
export type Stability = 'stable' | 'fair' | 'unstable'

/** One customer of 100 who crashes is noise; from 5 of 100 on, a release guard would hold most versions. */
const STABLE = 0.99
const FAIR = 0.95
export const TONES = { stable: undefined, fair: 'warn', unstable: 'bad' } as const

export function stabilityOf(share: number): Stability {
  if (share >= STABLE) return 'stable'
  return share >= FAIR ? 'fair' : 'unstable'
}
