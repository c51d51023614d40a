/** The source of the key window for script hubs, as the library downloads it. */
import { renderWindow, windowCore } from '@scriptward/client/bundle'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { findEarningAdSystem } from '../ads/store/ad-systems.ts'
import { type Brand, findBrand } from '../projects/brand.ts'
import { findLogoOf } from '../projects/store/branding.ts'
import { findChecked } from './key-checks.ts'

/** The source is read from files on the first download. */
let core: string | undefined

export async function windowText(
  deps: Deps,
  id: string,
  words: Readonly<Record<string, string>>,
): Promise<string | Refused<'not_found'>> {
  const project = await findChecked(deps, id)
  if (project instanceof Refused) return project
  const brand = await findBrand(deps, id)
  core ??= windowCore()
  return renderWindow(core, {
    title: brand?.name ?? project.name,
    links: brand?.links ?? [],
    get_key: (await findEarningAdSystem(deps.db.read, id)) !== undefined,
    words,
    ...(brand?.accent ? { accent: brand.accent } : {}),
    ...(await logoOf(deps, id, brand)),
  })
}

/** Game platforms can't display WebP images. */
async function logoOf({ db }: Deps, id: string, brand: Brand | undefined) {
  const file = brand?.logo?.file
  const bytes = file?.endsWith('.png') ? await findLogoOf(db.read, id) : null
  return bytes === null ? {} : { logo: Buffer.from(bytes).toString('base64url'), logo_file: file ?? '' }
}
