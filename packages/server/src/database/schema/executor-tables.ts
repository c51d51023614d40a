/** Tables of executors: what each of them can do, as running clients report. */
import { number, type TableOf, text, withDefault } from './columns.ts'

/** Versions of executors, over all accounts. */
const executors = {
  /** The name and version that clients report. */
  name: text,
  version: text,
  /** The list of functions to which `functions` belongs. */
  list: withDefault(number),
  /** Which functions of the list most answers contain, in the form of a `ProbeAnswer`. */
  functions: withDefault(text),
  /** Answers that were counted, each from a different network. */
  answers: withDefault(number),
  first_at: number,
  last_at: number,
}
export type ExecutorsTable = TableOf<typeof executors>

/** The newest answers of clients. Nothing in them identifies a project, a key or a device. */
const executorAnswers = {
  name: text,
  version: text,
  /** Keyed hash of the executor and the client's network, so that no network counts twice. */
  voter: text,
  list: number,
  functions: text,
  at: number,
}
export type ExecutorAnswersTable = TableOf<typeof executorAnswers>

export const executorTables = { executors, executor_answers: executorAnswers }
