/** The columns of `user_batches`: batches of users that are being added, at most one for each customer. A complete one has no row. */
import { flag, number, seq, type TableOf, text, withDefault } from './columns.ts'

export const userBatches = {
  seq,
  customer_id: text,
  project_id: text,
  /** Each of its users has a greater `seq`. */
  after_seq: number,
  /** When it last made progress. */
  touched_at: number,
  /** Set when it adds no more users; those that it added are being deleted. */
  ended: withDefault(flag),
}
export type UserBatchesTable = TableOf<typeof userBatches>
