/**
 * Stores which functions an executor has, as reported by its clients. Clients can lie about their name,
 * version and functions. A function therefore counts only if most of the latest answers from different
 * networks contain it, and all stored data is limited.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import { readProbe, writeProbe } from '@scriptward/client/probe'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { ExecutorVersion } from './asks.ts'
import {
  countExecutors,
  deleteLeastKnown,
  deleteOldAnswers,
  type ExecutorAnswer,
  listAnswers,
  putAnswer,
  putExecutor,
  updateFunctions,
} from './store/executors.ts'

/** Fewer answers could all come from one person. */
export const MIN_ANSWERS = 3
const MAX_ANSWERS = 9
/** Maximum number of versions kept per executor, and in total. */
const MAX_VERSIONS = 20
const MAX_EXECUTORS = 1000
const DAY_MS = 86_400_000
/** How long a version stays listed after its last report. */
export const EXECUTOR_RETENTION_MS = 90 * DAY_MS
/** How long to wait for a client on another network. */
const NEXT_NETWORK_MS = 600_000
/** Number of `networkDigits` digits that identify an IPv4 /24 or an IPv6 /48. */
const PREFIX_DIGITS: Readonly<Record<string, number>> = { 4: 7, 6: 13 }

type Answer = ExecutorVersion & {
  /** Formatted by `networkDigits`. */
  readonly address: string
  readonly list: number
  readonly functions: string
}

/** `take` is called first and returns false if the run may not answer. */
export async function recordAnswer(
  deps: Deps,
  { address, ...answer }: Answer,
  take: (tx: Queries) => Promise<boolean>,
): Promise<void> {
  const { db, now, limits, executorAsks } = deps
  const at = now()
  const network = address.slice(0, PREFIX_DIGITS[address[0] ?? ''])
  if ((await limits.attempts.takeAttempt('probes', network, at)) > 0) return
  const voter = nameVoter(deps, answer, network)
  const fresh = await db.transaction(async (tx) => {
    if (!(await take(tx))) return undefined
    await makeRoom(tx, answer)
    await putExecutor(tx, answer, at)
    await putAnswer(tx, { ...answer, voter, at })
    await deleteOldAnswers(tx, answer, MAX_ANSWERS)
    return count(tx, answer)
  })
  if (fresh === undefined) return
  const isKnown = fresh.length >= MIN_ANSWERS && (fresh.at(MIN_ANSWERS - 1) ?? 0) > at - DAY_MS
  executorAsks.rest(answer, at + (isKnown ? DAY_MS : NEXT_NETWORK_MS))
}

/** Returns a network's pseudonym. One network's answers for different executors can't be linked. */
function nameVoter({ secrets }: Deps, { name, version }: ExecutorVersion, network: string): string {
  const key = createSecretKey(secrets.fingerprintPepper)
  const text = ['probe', name, version, network].join('\0')
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 16)
}

/**
 * If a limit is reached, removes the version with the fewest answers, so that forged versions never replace
 * known ones.
 */
async function makeRoom(tx: Queries, { name, version }: ExecutorVersion): Promise<void> {
  const { all, versions, isKnown } = await countExecutors(tx, { name, version })
  if (isKnown) return
  if (versions >= MAX_VERSIONS) await deleteLeastKnown(tx, name)
  else if (all >= MAX_EXECUTORS) await deleteLeastKnown(tx)
}

/** Returns the times of the counted answers, newest first. */
async function count(tx: Queries, executor: ExecutorVersion): Promise<number[]> {
  const answers = await listAnswers(tx, executor)
  const list = Math.max(...answers.map((one) => one.list))
  const counted = answers.filter((one) => one.list === list)
  const functions = majorityOf(counted)
  await updateFunctions(tx, executor, { list, functions, answers: counted.length })
  return counted.map(({ at }) => at)
}

function majorityOf(answers: readonly Pick<ExecutorAnswer, 'functions'>[]): string {
  const read = answers.map(({ functions }) => readProbe(functions))
  const found = read[0]?.map((_, i) => 2 * read.filter((one) => one[i]).length > read.length)
  return writeProbe(found ?? [])
}
