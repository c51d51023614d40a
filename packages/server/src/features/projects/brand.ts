/** The parts of a project's branding that visitors see: name, accent color, links, logo and scripts. */
import type { Deps } from '../../deps.ts'
import type { ScriptName } from '../scripts/store/scripts.ts'
import { typeOfLogo } from './logo.ts'
import { type BrandingRow, findBranding, findLogo, listEnabledScripts } from './store/branding.ts'

export type Link = { readonly title: string; readonly url: string }
export type Brand = {
  /** Null if visitors see the project's own name. */
  readonly name: string | null
  readonly accent: string | null
  readonly links: readonly Link[]
  readonly logo: BrandLogo | null
}
type BrandLogo = { readonly file: string; readonly width: number; readonly height: number }

/** Maximum number of scripts on a page. Longer pages would get unwieldy. */
export const MAX_SHOWN_SCRIPTS = 100

type Reading = Pick<Deps, 'db'>
type BrandColumns = Pick<
  BrandingRow,
  'name' | 'accent' | 'links' | 'logo_file' | 'logo_width' | 'logo_height'
>

/** Returned if the project has no row. */
export const UNBRANDED: Omit<BrandingRow, 'project_id' | 'project_name'> = {
  ...{ name: null, accent: null, links: '[]', all_scripts: 1, scripts: '[]' },
  ...{ logo_file: null, logo_width: null, logo_height: null },
}

/** Returns undefined if the project has no row or does not exist. */
export async function findBrand(
  { db }: Reading,
  projectId: string,
): Promise<(Brand & { readonly name: string }) | undefined> {
  const row = await findBranding(db.readPoint, projectId)
  return row === null ? undefined : { ...brandOf(row), name: row.name ?? row.project_name }
}

export function brandOf({ name, accent, links, logo_file, logo_width, logo_height }: BrandColumns): Brand {
  const logo =
    logo_file === null ? null : { file: logo_file, width: logo_width ?? 0, height: logo_height ?? 0 }
  return { name, accent, links: JSON.parse(links), logo }
}

/**
 * Lists the scripts that are enabled and shown, in the author's order if there is one. `included` lists the
 * scripts of a key's plan. Null means all.
 */
export async function listShownScripts(
  { db }: Reading,
  projectId: string,
  included: readonly string[] | null = null,
): Promise<ScriptName[]> {
  const branding = (await findBranding(db.readPoint, projectId)) ?? UNBRANDED
  return selectShownScripts(db, projectId, branding, included)
}

export async function selectShownScripts(
  db: Deps['db'],
  projectId: string,
  { all_scripts, scripts }: Pick<BrandingRow, 'all_scripts' | 'scripts'>,
  included: readonly string[] | null = null,
): Promise<ScriptName[]> {
  const all = await listEnabledScripts(db.read, projectId)
  const enabled = included === null ? all : all.filter(({ id }) => included.includes(id))
  if (all_scripts === 1) return enabled.slice(0, MAX_SHOWN_SCRIPTS)
  const byId = new Map(enabled.map((script) => [script.id, script]))
  return (JSON.parse(scripts) as string[]).flatMap((id) => byId.get(id) ?? [])
}

/** Finds an image that is the logo of at least one project. */
export async function findLogoFile(
  { db }: Reading,
  file: string,
): Promise<{ readonly text: Buffer; readonly contentType: string } | undefined> {
  const contentType = typeOfLogo(file)
  if (contentType === undefined) return undefined
  const bytes = await findLogo(db.readPoint, file)
  return bytes === null ? undefined : { text: Buffer.from(bytes), contentType }
}
