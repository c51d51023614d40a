/** Rates the crash-free fraction of customers or runs. */
export type Stability = 'stable' | 'fair' | 'unstable'

/** A crash of one customer in 100 is noise. At 5 in 100, a release guard would hold most versions. */
const STABLE = 0.99
const FAIR = 0.95
export const TONES = { stable: undefined, fair: 'warn', unstable: 'bad' } as const

export function stabilityOf(share: number): Stability {
  if (share >= STABLE) return 'stable'
  return share >= FAIR ? 'fair' : 'unstable'
}
