/** Reads and edits a project's branding. */

import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { ScriptName } from '../scripts/store/scripts.ts'
import { type Brand, brandOf, type Link, selectShownScripts, UNBRANDED } from './brand.ts'
import { type Logo, readLogo, typeOfLogo } from './logo.ts'
import {
  type BrandingChanges,
  type BrandingRow,
  findBranding,
  findLogoOf,
  listScriptIds,
  saveBranding,
} from './store/branding.ts'
import { lockProject, type ProjectRow } from './store/projects.ts'

/** Fields of an edit. Omitted fields keep their value, and an empty string clears a field. */
export type BrandingMembers = {
  readonly name?: string
  readonly accent?: string
  /** Base64-encoded. */
  readonly logo?: string
  readonly links?: readonly Link[]
  readonly all_scripts?: boolean
  readonly scripts?: readonly string[]
}

type Owner = { readonly customer: CustomerRow; readonly project: ProjectRow }
export const MAX_LINKS = 5
/** Folder of public files, served on every host. */
const LOGO_FOLDER = '/me/assets/'

export type BrandingResource = ReturnType<typeof describe>

export async function getBranding({ db }: Deps, { project }: Owner): Promise<BrandingResource> {
  return describe(await findBranding(db.read, project.id), await listScriptIds(db.read, project.id))
}

export async function editBranding(
  deps: Deps,
  { customer, project }: Owner,
  members: BrandingMembers,
): Promise<
  BrandingResource | Refused<'account_expired' | 'cannot_edit_nothing' | 'invalid_request' | 'not_found'>
> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  if (Object.keys(members).length === 0) return refuse('cannot_edit_nothing')
  const given = readMembers(members)
  if (given instanceof Refused) return given
  return deps.db.transaction(async (tx) => {
    if ((await lockProject(tx, customer.id, project.id)) === null) return refuse('not_found')
    const existing = await listScriptIds(tx, project.id)
    const unknown = refuseUnknownScripts(given.scripts, existing)
    if (unknown) return unknown
    deps.annotateAudit({ before: beforeEdit(await findBranding(tx, project.id), existing) })
    await saveBranding(tx, project.id, columnsOf(given))
    return describe(await findBranding(tx, project.id), existing)
  })
}

export type Draft = Brand & {
  readonly scripts: readonly ScriptName[]
  /** The logo as a data URL. */
  readonly image: string | undefined
}

/** Returns the branding as visitors would see it after this edit, without saving anything. */
export async function draftBranding(
  { db }: Pick<Deps, 'db'>,
  { project }: Owner,
  members: BrandingMembers,
): Promise<Draft | Refused<'invalid_request'>> {
  const given = readMembers(members)
  if (given instanceof Refused) return given
  const unknown = refuseUnknownScripts(given.scripts, await listScriptIds(db.read, project.id))
  if (unknown) return unknown
  const row = { ...((await findBranding(db.read, project.id)) ?? UNBRANDED), ...columnsOf(given) }
  const bytes = given.logo === undefined ? await findLogoOf(db.read, project.id) : given.logo?.bytes
  const image =
    bytes && row.logo_file !== null
      ? `data:${typeOfLogo(row.logo_file)};base64,${Buffer.from(bytes).toString('base64')}`
      : undefined
  return { ...brandOf(row), scripts: await selectShownScripts(db, project.id, row), image }
}

function describe(row: BrandingRow | null, existing: readonly string[]) {
  const { name, accent, links, logo } = brandOf(row ?? UNBRANDED)
  const { all_scripts, scripts } = row ?? UNBRANDED
  const ids = new Set(existing)
  return {
    ...{ name, accent, links: [...links], all_scripts: all_scripts === 1 },
    scripts: (JSON.parse(scripts) as string[]).filter((id) => ids.has(id)),
    logo: logo && {
      path: LOGO_FOLDER + logo.file,
      type: typeOfLogo(logo.file) ?? '',
      ...{ width: logo.width, height: logo.height },
    },
  }
}

/** Returns the branding as the fields of an edit, for the audit log. */
function beforeEdit(row: BrandingRow | null, existing: readonly string[]) {
  const { name, accent, logo, ...rest } = describe(row, existing)
  return { ...rest, name: name ?? '', accent: accent ?? '', logo: logo?.path ?? '' }
}

/** A normalized edit with a decoded logo. Null removes the logo. */
type Given = Omit<BrandingMembers, 'logo'> & { readonly logo?: Logo | null }

function readMembers({ logo, ...members }: BrandingMembers): Given | Refused<'invalid_request'> {
  const { name, accent, links, scripts } = members
  const read = links && readLinks(links)
  if (read instanceof Refused) return read
  const image = logo === undefined || logo === '' ? null : readLogo(logo)
  if (typeof image === 'string') return refuseMember('logo', image)
  return {
    ...members,
    ...(name !== undefined && { name: name.trim() }),
    ...(accent !== undefined && { accent: accent.toLowerCase() }),
    ...(read && { links: read }),
    ...(scripts && { scripts: [...new Set(scripts)] }),
    ...(logo !== undefined && { logo: image }),
  }
}

/** These links are only for people to open, so the server parses them but never requests them. */
function readLinks(links: readonly Link[]): Link[] | Refused<'invalid_request'> {
  const read: Link[] = []
  for (const [index, { title, url: text }] of links.entries()) {
    const url = URL.parse(text)
    if (url?.protocol !== 'https:') return refuseMember(`links.${index}.url`, 'must be an https URL')
    // User info in front of the host could make a URL look like another site's.
    if (url.username !== '' || url.password !== '')
      return refuseMember(`links.${index}.url`, 'must be a URL without a user name or password')
    read.push({ title: title.trim(), url: url.href })
  }
  return read
}

function refuseUnknownScripts(
  scripts: readonly string[] | undefined,
  existing: readonly string[],
): Refused<'invalid_request'> | undefined {
  const ids = new Set(existing)
  const bad = scripts?.findIndex((id) => !ids.has(id)) ?? -1
  return bad < 0 ? undefined : refuseMember(`scripts.${bad}`, 'must be the ID of a script in this project')
}

function columnsOf({ name, accent, links, all_scripts, scripts, logo }: Given) {
  return {
    ...(name !== undefined && { name: name || null }),
    ...(accent !== undefined && { accent: accent || null }),
    ...(links && { links: JSON.stringify(links) }),
    ...(all_scripts !== undefined && { all_scripts: all_scripts ? (1 as const) : (0 as const) }),
    ...(scripts && { scripts: JSON.stringify(scripts) }),
    ...(logo !== undefined && {
      logo: logo?.bytes ?? null,
      logo_file: logo?.file ?? null,
      logo_width: logo?.width ?? null,
      logo_height: logo?.height ?? null,
    }),
  } satisfies BrandingChanges
}
