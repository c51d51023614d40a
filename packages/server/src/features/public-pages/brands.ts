/** Converts stored branding into the form that pages render. */

import type { Brand } from '../../pages/brand.ts'
import type { Brand as Stored } from '../projects/brand.ts'

/** `assets` is the base path of the page's files, including logos. */
export function brandOn({ accent, links, logo }: Stored, assets: string): Brand {
  return { accent, links, logo: logo && { ...logo, address: assets + logo.file } }
}
