/**
 * A noun together with its project and its owner: one statement over several tables, so that a noun that does not exist
 * and one of another owner take the same work.
 */
import type { Queries } from '../../../database/engine/db.ts'
import { type Prepared, prepared } from '../../../database/engine/prepared.ts'
import { type Joined, part } from '../../../database/joined.ts'
import { tables } from '../../../database/schema/tables.ts'
import type { CustomerRow } from '../../accounts/store/customers.ts'
import type { AdCheckpointRow } from '../../ads/store/ad-checkpoints.ts'
import type { AdSystemRow } from '../../ads/store/ad-systems.ts'
import { isVisible } from '../../changes/store/user-batches.ts'
import type { UserRow } from '../../keys/store/users.ts'
import type { PlanRow } from '../../plans/store.ts'
import type { ScriptRow } from '../../scripts/store/scripts.ts'
import type { ProjectRow } from './projects.ts'

export type ProjectSubject = { customer: CustomerRow; project: ProjectRow }
export type ScriptSubject = ProjectSubject & { script: ScriptRow }
export type UserSubject = ProjectSubject & { user: UserRow }
export type PlanSubject = ProjectSubject & { plan: PlanRow }
export type AdSystemSubject = ProjectSubject & { system: AdSystemRow }
export type AdCheckpointSubject = AdSystemSubject & { checkpoint: AdCheckpointRow }

const CUSTOMER = part('c', tables.customers)
const PROJECT = part('p', tables.projects)
const SCRIPT = part('s', tables.scripts)
const USER = part('u', tables.users)
const PLAN = part('n', tables.plans)
const SYSTEM = part('a', tables.ad_systems)
const CHECKPOINT = part('k', tables.ad_checkpoints)

/** Whose the noun has to be: the holder of an API key, who need not be known before, or an account. */
export type NounOwner = { readonly apiKeyHash: string } | { readonly customerId: string }
type Asked = { owner: string; id: string }
type OwnerColumn = 'c.api_key_hash' | 'c.id'

/** A statement for each way to name the owner. */
function owned<R>(statement: (column: OwnerColumn) => Prepared<Asked, R>) {
  const byKey = statement('c.api_key_hash')
  const byId = statement('c.id')
  return (db: Queries, owner: NounOwner, id: string): Promise<R | null> =>
    'apiKeyHash' in owner
      ? byKey.first(db, { owner: owner.apiKeyHash, id })
      : byId.first(db, { owner: owner.customerId, id })
}

const projectSubject = owned((column) =>
  prepared((db, p: Asked) =>
    db
      .selectFrom('projects as p')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select([...PROJECT.list, ...CUSTOMER.list])
      .where('p.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)
export const findProjectSubject = async (
  db: Queries,
  owner: NounOwner,
  id: string,
): Promise<ProjectSubject | undefined> => {
  const row = await projectSubject(db, owner, id)
  return row ? { customer: CUSTOMER.rowFrom(row), project: PROJECT.rowFrom(row) } : undefined
}

const scriptSubject = owned((column) =>
  prepared((db, p: Asked) =>
    db
      .selectFrom('scripts as s')
      .innerJoin('projects as p', 'p.id', 's.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select([...SCRIPT.list, ...PROJECT.list, ...CUSTOMER.list])
      .where('s.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)
export const findScriptSubject = async (
  db: Queries,
  owner: NounOwner,
  id: string,
): Promise<ScriptSubject | undefined> => {
  const row = await scriptSubject(db, owner, id)
  return row
    ? { customer: CUSTOMER.rowFrom(row), project: PROJECT.rowFrom(row), script: SCRIPT.rowFrom(row) }
    : undefined
}

const user = (db: Queries) =>
  db
    .selectFrom('users as u')
    .innerJoin('projects as p', 'p.id', 'u.project_id')
    .innerJoin('customers as c', 'c.id', 'u.customer_id')
    .select([...USER.list, ...PROJECT.list, ...CUSTOMER.list])
    .where(isVisible('u'))

const userFrom = (row: Joined): UserSubject => ({
  customer: CUSTOMER.rowFrom(row),
  project: PROJECT.rowFrom(row),
  user: USER.rowFrom(row),
})

const ownUser = owned((column) =>
  prepared((db, p: Asked) => user(db).where('u.key', '=', p.id).where(column, '=', p.owner)),
)
export const findUserSubject = async (
  db: Queries,
  owner: NounOwner,
  key: string,
): Promise<UserSubject | undefined> => {
  const row = await ownUser(db, owner, key)
  return row ? userFrom(row) : undefined
}

const byKey = prepared((db, p: { key: string; limit: number }) =>
  user(db).where('u.key', '=', p.key).limit(p.limit),
)
/** Up to `limit` users of any customer by their own key, for what they may see and do themselves. */
export const listKeySubjects = async (db: Queries, key: string, limit: number): Promise<UserSubject[]> =>
  (await byKey.all(db, { key, limit })).map(userFrom)

const ofProject = prepared((db, p: { project_id: string; key: string }) =>
  user(db).where('u.project_id', '=', p.project_id).where('u.key', '=', p.key),
)
/** The user of a project by their own key. */
export const findKeySubject = async (
  db: Queries,
  projectId: string,
  key: string,
): Promise<UserSubject | undefined> => {
  const row = await ofProject.first(db, { project_id: projectId, key })
  return row ? userFrom(row) : undefined
}

const planSubject = owned((column) =>
  prepared((db, p: Asked) =>
    db
      .selectFrom('plans as n')
      .innerJoin('projects as p', 'p.id', 'n.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select([...PLAN.list, ...PROJECT.list, ...CUSTOMER.list])
      .where('n.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)
export const findPlanSubject = async (
  db: Queries,
  owner: NounOwner,
  id: string,
): Promise<PlanSubject | undefined> => {
  const row = await planSubject(db, owner, id)
  return row
    ? { customer: CUSTOMER.rowFrom(row), project: PROJECT.rowFrom(row), plan: PLAN.rowFrom(row) }
    : undefined
}

const adSystemSubject = owned((column) =>
  prepared((db, p: Asked) =>
    db
      .selectFrom('ad_systems as a')
      .innerJoin('projects as p', 'p.id', 'a.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select([...SYSTEM.list, ...PROJECT.list, ...CUSTOMER.list])
      .where('a.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)
export const findAdSystemSubject = async (
  db: Queries,
  owner: NounOwner,
  id: string,
): Promise<AdSystemSubject | undefined> => {
  const row = await adSystemSubject(db, owner, id)
  return row
    ? { customer: CUSTOMER.rowFrom(row), project: PROJECT.rowFrom(row), system: SYSTEM.rowFrom(row) }
    : undefined
}

const adCheckpointSubject = owned((column) =>
  prepared((db, p: Asked) =>
    db
      .selectFrom('ad_checkpoints as k')
      .innerJoin('ad_systems as a', 'a.id', 'k.system_id')
      .innerJoin('projects as p', 'p.id', 'a.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select([...CHECKPOINT.list, ...SYSTEM.list, ...PROJECT.list, ...CUSTOMER.list])
      .where('k.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)
export const findAdCheckpointSubject = async (
  db: Queries,
  owner: NounOwner,
  id: string,
): Promise<AdCheckpointSubject | undefined> => {
  const row = await adCheckpointSubject(db, owner, id)
  if (!row) return undefined
  const theirs = { customer: CUSTOMER.rowFrom(row), project: PROJECT.rowFrom(row) }
  return { ...theirs, system: SYSTEM.rowFrom(row), checkpoint: CHECKPOINT.rowFrom(row) }
}
