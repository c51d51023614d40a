/**
 * Reads data about all bots on a Discord server. The bots of several projects may assign roles there, and one
 * project's customer role must not be another project's staff role.
 */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { BotRow } from './bots.ts'

type Place = Pick<BotRow, 'project_id' | 'server_id'>

const isThere = ({ project_id, server_id }: Place) =>
  sql<boolean>`(b.project_id = ${project_id} or b.server_id = ${server_id})`

/** The `staff` columns of this bot and of all bots on its server. */
export const listStaff = (db: Queries, place: Place): Promise<Pick<BotRow, 'staff'>[]> =>
  db.selectFrom('discord_bots as b').select('b.staff').where(isThere(place)).execute()

/** The roles of all plans in this bot's project and in the projects of the other bots on its server. */
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
