/** Ad systems. */
export const adsText = {} as const
