/** Tables for executors and their functions, as reported by running clients. */
import { number, type TableOf, text, withDefault } from './columns.ts'

/** Versions of executors, across all accounts. */
const executors = {
  /** The name and version that clients report. */
  name: text,
  version: text,
  /** Number of the function list that `functions` refers to. */
  list: withDefault(number),
  /** The functions on the list that most clients report, as a `ProbeAnswer`. */
  functions: withDefault(text),
  /** Number of responses counted, each from a different network. */
  answers: withDefault(number),
  first_at: number,
  last_at: number,
}
export type ExecutorsTable = TableOf<typeof executors>

/** The latest responses from clients. They contain nothing that identifies a project, a key or a device. */
const executorAnswers = {
  name: text,
  version: text,
  /** Keyed hash of the executor and the client's network, so that each network counts only once. */
  voter: text,
  list: number,
  functions: text,
  at: number,
}
export type ExecutorAnswersTable = TableOf<typeof executorAnswers>

/** Runs that a script's rules would deny if they were enforced. */
const executorHits = {
  script_id: text,
  executor: text,
  /** Days since 1970 in UTC. */
  day: number,
  runs: number,
}
export type ExecutorHitsTable = TableOf<typeof executorHits>

/** Customers whose runs would be denied by the rules. */
const executorHitCustomers = {
  script_id: text,
  executor: text,
  /** Hash of a license key, or of a guest's device identifier. */
  customer: text,
  /** Day of the last such run. */
  day: number,
}
export type ExecutorHitCustomersTable = TableOf<typeof executorHitCustomers>

export const executorTables = {
  executors,
  executor_answers: executorAnswers,
  executor_hits: executorHits,
  executor_hit_customers: executorHitCustomers,
}
