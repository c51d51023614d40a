/**
 * Reads what bots do on the same Discord server: the bots of several projects may give roles there, and a role of one
 * project's customers must not be that of another project's staff.
 */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { BotRow } from './bots.ts'

type Place = Pick<BotRow, 'project_id' | 'server_id'>

const isThere = ({ project_id, server_id }: Place) =>
  sql<boolean>`(b.project_id = ${project_id} or b.server_id = ${server_id})`

/** The column `staff` of this bot and of the others on its server. */
export const listStaff = (db: Queries, place: Place): Promise<Pick<BotRow, 'staff'>[]> =>
  db.selectFrom('discord_bots as b').select('b.staff').where(isThere(place)).execute()

/** The roles of the plans of this bot's project, and of the projects of the others on its server. */
export const listCustomerRoles = async (db: Queries, place: Place): Promise<(string | null)[]> => {
  const rows = await db
    .selectFrom('discord_bots as b')
    .innerJoin('plans as p', 'p.project_id', 'b.project_id')
    .select('p.chat_role_id')
    .where('p.chat_role_id', 'is not', null)
    .where(isThere(place))
    .execute()
  return rows.map(({ chat_role_id }) => chat_role_id)
}
