/** Finds functions that a script uses but its customers' executors lack. The build report lists them. */
import { PROBED_FUNCTIONS, readProbe } from '@scriptward/client/probe'
import type { HostUse } from '@scriptward/obfuscator'
import type { Deps } from '../../deps.ts'
import { listCustomersByExecutor } from '../health/store/version-health.ts'
import { MIN_ANSWERS } from './answers.ts'
import { listNewestExecutors } from './store/executors.ts'

export type MissingFunction = HostUse & {
  /** Fraction of customers whose executor lacks the function. */
  readonly customers: number
  /** The executors that lack the function, most customers first. */
  readonly executors: readonly string[]
}

const MAX_MISSING = 20
const MAX_EXECUTORS = 10
const NAMED_EXECUTORS = 3

type Lacking = {
  readonly executor: string
  readonly customers: number
  readonly lacks: ReadonlySet<string>
}

/**
 * Checks the used functions against the executors of the script's customers. A new script has no customers.
 */
export async function findMissingFunctions(
  { db }: Pick<Deps, 'db'>,
  scriptId: string,
  uses: readonly HostUse[],
): Promise<MissingFunction[]> {
  const probed = new Set(PROBED_FUNCTIONS)
  const wanted = uses.filter(({ name }) => probed.has(name))
  if (wanted.length === 0) return []
  const counted = await listCustomersByExecutor(db.read, scriptId)
  const all = counted.reduce((sum, { customers }) => sum + customers, 0)
  const lacking = await lackingOf(db, counted)
  return wanted
    .map((use) => describe(use, lacking, all))
    .filter(({ customers }) => customers > 0)
    .sort((a, b) => b.customers - a.customers)
    .slice(0, MAX_MISSING)
}

async function lackingOf(
  db: Deps['db'],
  counted: readonly { readonly executor: string; readonly customers: number }[],
): Promise<Lacking[]> {
  const names = counted.map(({ executor }) => executor)
  const known = await listNewestExecutors(db.read, names, MIN_ANSWERS)
  return counted.flatMap(({ executor, customers }) => {
    const row = known.find(({ name }) => name === executor)
    if (!row) return []
    const has = readProbe(row.functions)
    return [{ executor, customers, lacks: new Set(PROBED_FUNCTIONS.filter((_, i) => !has[i])) }]
  })
}

function describe(use: HostUse, lacking: readonly Lacking[], all: number): MissingFunction {
  const found = lacking.filter(({ lacks }) => lacks.has(use.name)).sort((a, b) => b.customers - a.customers)
  const customers = found.reduce((sum, one) => sum + one.customers, 0) / Math.max(1, all)
  return { ...use, customers, executors: found.slice(0, MAX_EXECUTORS).map(({ executor }) => executor) }
}

/** Formats the finding as a build warning. */
export function wordMissing({ name, file, line, uses, customers, executors }: MissingFunction): string {
  const place = file === null ? `line ${line}` : `${file}:${line}`
  const more = uses === 1 ? '' : ` and ${uses - 1} more`
  const share = customers < 0.01 ? 'less than 1%' : `${Math.round(100 * customers)}%`
  const named = executors.slice(0, NAMED_EXECUTORS).join(', ')
  const others = executors.length > NAMED_EXECUTORS ? ' and others' : ''
  return `${place}${more}: ${name} is missing for ${share} of this script's customers (${named}${others}): check for it with 'if ${name} then'`
}
