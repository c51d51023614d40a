/** Reads a bot together with its project and account. */
import type { Queries } from '../../../database/engine/db.ts'
import { joinedRows } from '../../../database/joined-rows.ts'
import { tables } from '../../../database/schema/tables.ts'
import type { ProjectSubject } from '../../projects/store/subjects.ts'
import type { BotRow } from './bots.ts'

export type BotSubject = ProjectSubject & { bot: BotRow }

const subject = joinedRows(
  {
    customer: ['c', tables.customers],
    project: ['p', tables.projects],
    bot: ['b', tables.discord_bots],
  },
  (db, columns, p: { project_id: string }) =>
    db
      .selectFrom('discord_bots as b')
      .innerJoin('projects as p', 'p.id', 'b.project_id')
      .innerJoin('customers as c', 'c.id', 'p.customer_id')
      .select(columns)
      .where('b.project_id', '=', p.project_id),
)
export const findBotSubject = (db: Queries, projectId: string): Promise<BotSubject | undefined> =>
  subject.first(db, { project_id: projectId })
