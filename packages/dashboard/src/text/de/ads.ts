/** Ad systems. */
import type { adsText as english } from '../en/ads.ts'
import type { Words } from '../words.ts'

export const adsText: Words<typeof english> = {}
