/** A project's branding as its pages show it. */

import type { Brand } from '../../pages/brand.ts'
import type { Brand as Stored } from '../projects/brand.ts'

/** `assets` is where the files of the page are, logos among them. */
export function brandOn({ accent, links, logo }: Stored, assets: string): Brand {
  return { accent, links, logo: logo && { ...logo, address: assets + logo.file } }
}
