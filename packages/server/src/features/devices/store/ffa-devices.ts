/** All queries on the `ffa_devices` table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { FfaDevicesTable } from '../../../database/schema/device-tables.ts'

export type NewFfaDevice = Insertable<FfaDevicesTable>

const known = prepared((db, p: { project_id: string; device: string }) =>
  db
    .selectFrom('ffa_devices')
    .select('first_seen')
    .where('project_id', '=', p.project_id)
    .where('device', '=', p.device),
)
export const findFfaDevice = (db: Queries, projectId: string, device: string) =>
  known.first(db, { project_id: projectId, device })

const ofCustomer = prepared((db, p: { customer_id: string }) =>
  db
    .selectFrom('ffa_devices')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('customer_id', '=', p.customer_id),
)
export const countFfaDevices = async (db: Queries, customerId: string): Promise<number> =>
  (await ofCustomer.first(db, { customer_id: customerId }))?.count ?? 0

/** Leaves a known device unchanged. */
export const insertFfaDevice = async (tx: Queries, row: NewFfaDevice): Promise<void> => {
  await tx
    .insertInto('ffa_devices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'device']).doNothing())
    .execute()
}
