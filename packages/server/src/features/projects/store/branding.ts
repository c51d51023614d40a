/** All queries on the `branding` table. */
import type { Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { BrandingTable } from '../../../database/schema/tables.ts'
import type { ScriptName } from '../../scripts/store/scripts.ts'

type Row = Selectable<BrandingTable>
/** Excludes the bytes of the logo, which are needed only at the logo's own URL. */
export type BrandingRow = Omit<Row, 'logo'> & { readonly project_name: string }
export type BrandingChanges = Omit<Updateable<BrandingTable>, 'project_id'>

const ofProject = prepared((db, p: { project_id: string }) =>
  db
    .selectFrom('branding')
    .innerJoin('projects', 'projects.id', 'branding.project_id')
    .select(['branding.project_id', 'branding.name', 'accent', 'links', 'all_scripts', 'scripts'])
    .select(['logo_file', 'logo_width', 'logo_height', 'projects.name as project_name'])
    .where('branding.project_id', '=', p.project_id),
)
/**
 * Visitors are not tenants, so the query is not limited to an account. The caller must know the project's
 * owner.
 */
export const findBranding = (db: Queries, projectId: string): Promise<BrandingRow | null> =>
  ofProject.first(db, { project_id: projectId })

const logos = prepared((db, p: { logo_file: string }) =>
  db.selectFrom('branding').select('logo').where('logo_file', '=', p.logo_file).limit(1),
)
/** The name is a digest, so rows with the same name have the same bytes. */
export const findLogo = async (db: Queries, file: string): Promise<Uint8Array | null> =>
  (await logos.first(db, { logo_file: file }))?.logo ?? null

const logoOf = prepared((db, p: { project_id: string }) =>
  db.selectFrom('branding').select('logo').where('project_id', '=', p.project_id),
)
export const findLogoOf = async (db: Queries, projectId: string): Promise<Uint8Array | null> =>
  (await logoOf.first(db, { project_id: projectId }))?.logo ?? null

/** Updates a project's row, or creates it. */
export const saveBranding = async (
  tx: Queries,
  projectId: string,
  changes: BrandingChanges,
): Promise<void> => {
  await tx
    .insertInto('branding')
    .values({ ...changes, project_id: projectId })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(changes))
    .execute()
}

const enabled = prepared((db, p: { project_id: string }) =>
  db
    .selectFrom('scripts')
    .select(['id', 'name'])
    .where('project_id', '=', p.project_id)
    .where('enabled', '=', 1)
    .orderBy('seq'),
)
/** Lists a project's enabled scripts in order of creation. */
export const listEnabledScripts = (db: Queries, projectId: string): Promise<ScriptName[]> =>
  enabled.all(db, { project_id: projectId })

const ids = prepared((db, p: { project_id: string }) =>
  db.selectFrom('scripts').select('id').where('project_id', '=', p.project_id).orderBy('seq'),
)
export const listScriptIds = async (db: Queries, projectId: string): Promise<string[]> =>
  (await ids.all(db, { project_id: projectId })).map(({ id }) => id)
