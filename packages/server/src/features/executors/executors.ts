/** Describes the functions that executors have. */
import { PROBED_FUNCTIONS, readProbe } from '@scriptward/client/probe'
import type { Deps } from '../../deps.ts'
import { MIN_ANSWERS } from './answers.ts'
import { type ExecutorRow, listExecutors } from './store/executors.ts'

const LISTED = 100

type Wanted = { readonly executor?: string; readonly from?: number; readonly limit?: number }

export async function describeExecutors({ db }: Deps, { executor, from = 0, limit = LISTED }: Wanted) {
  const page = { answers: MIN_ANSWERS, name: executor, from, limit: limit + 1 }
  const rows = await listExecutors(db.read, page)
  return { executors: rows.slice(0, limit).map(describe), more: rows.length > limit }
}

function describe({ name, version, functions, answers, first_at, last_at }: ExecutorRow) {
  const has = readProbe(functions)
  return {
    executor: name,
    version,
    functions: PROBED_FUNCTIONS.filter((_, i) => has[i]),
    missing: PROBED_FUNCTIONS.filter((_, i) => !has[i]),
    answers,
    first_seen: first_at,
    last_seen: last_at,
  }
}
