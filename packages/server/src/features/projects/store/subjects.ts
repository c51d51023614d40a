/**
 * Loads a resource together with its project and owner in one joined statement, so that loading another
 * owner's resource takes the same time as loading a missing one.
 */
import type { Queries } from '../../../database/engine/db.ts'
import { type JoinedRows, joinedRows } from '../../../database/joined-rows.ts'
import { tables } from '../../../database/schema/tables.ts'
import type { CustomerRow } from '../../accounts/store/customers.ts'
import type { AdCheckpointRow } from '../../ads/store/ad-checkpoints.ts'
import type { AdSystemRow } from '../../ads/store/ad-systems.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
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

/**
 * The required owner of the resource: an account, or the owner of an API key, which doesn't have to be looked
 * up first.
 */
export type NounOwner = { readonly apiKeyHash: string } | { readonly customerId: string }
type Asked = { owner: string; id: string }
type OwnerColumn = 'c.api_key_hash' | 'c.id'

/** Builds one statement for each way to specify the owner. */
function owned<R>(statement: (column: OwnerColumn) => JoinedRows<Asked, R>) {
  const byKey = statement('c.api_key_hash')
  const byId = statement('c.id')
  return (db: Queries, owner: NounOwner, id: string): Promise<R | undefined> =>
    'apiKeyHash' in owner
      ? byKey.first(db, { owner: owner.apiKeyHash, id })
      : byId.first(db, { owner: owner.customerId, id })
}

const PROJECT = { customer: ['c', tables.customers], project: ['p', tables.projects] } as const

export const findProjectSubject = owned((column) =>
  joinedRows(PROJECT, (db, columns, p: Asked) =>
    db
      .selectFrom('projects as p')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select(columns)
      .where('p.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)

export const findScriptSubject = owned((column) =>
  joinedRows({ ...PROJECT, script: ['s', tables.scripts] }, (db, columns, p: Asked) =>
    db
      .selectFrom('scripts as s')
      .innerJoin('projects as p', 'p.id', 's.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select(columns)
      .where('s.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)

const USER = { ...PROJECT, user: ['u', tables.users] } as const

const visibleUsers = (db: Queries) =>
  db
    .selectFrom('users as u')
    .innerJoin('projects as p', 'p.id', 'u.project_id')
    .innerJoin('customers as c', 'c.id', 'u.customer_id')
    .where(isVisible('u'))

export const findUserSubject = owned((column) =>
  joinedRows(USER, (db, columns, p: Asked) =>
    visibleUsers(db).select(columns).where('u.key', '=', p.id).where(column, '=', p.owner),
  ),
)

const byKey = joinedRows(USER, (db, columns, p: { key: string; limit: number }) =>
  visibleUsers(db).select(columns).where('u.key', '=', p.key).limit(p.limit),
)
/** Finds up to `limit` users of any account with this key, for the self-service page. */
export const listKeySubjects = (db: Queries, key: string, limit: number): Promise<UserSubject[]> =>
  byKey.all(db, { key, limit })

const ofProject = joinedRows(USER, (db, columns, p: { project_id: string; key: string }) =>
  visibleUsers(db).select(columns).where('u.project_id', '=', p.project_id).where('u.key', '=', p.key),
)
/** Finds a user of a project by their key. */
export const findKeySubject = (
  db: Queries,
  projectId: string,
  key: string,
): Promise<UserSubject | undefined> => ofProject.first(db, { project_id: projectId, key })

export const findPlanSubject = owned((column) =>
  joinedRows({ ...PROJECT, plan: ['n', tables.plans] }, (db, columns, p: Asked) =>
    db
      .selectFrom('plans as n')
      .innerJoin('projects as p', 'p.id', 'n.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select(columns)
      .where('n.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)

const SYSTEM = { ...PROJECT, system: ['a', tables.ad_systems] } as const

export const findAdSystemSubject = owned((column) =>
  joinedRows(SYSTEM, (db, columns, p: Asked) =>
    db
      .selectFrom('ad_systems as a')
      .innerJoin('projects as p', 'p.id', 'a.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select(columns)
      .where('a.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)

export const findAdCheckpointSubject = owned((column) =>
  joinedRows({ ...SYSTEM, checkpoint: ['k', tables.ad_checkpoints] }, (db, columns, p: Asked) =>
    db
      .selectFrom('ad_checkpoints as k')
      .innerJoin('ad_systems as a', 'a.id', 'k.system_id')
      .innerJoin('projects as p', 'p.id', 'a.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select(columns)
      .where('k.id', '=', p.id)
      .where(column, '=', p.owner),
  ),
)
