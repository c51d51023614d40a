/**
 * One execution of a script by a client: loads what it is judged by, and on a grant binds the device, counts, and
 * makes the instance, all or nothing. How the client's words were opened and the answer is sealed is the protocol's
 * part, the order of denials is `verify.ts`.
 */
import assert from 'node:assert'
import { LOCKS_LOADER_BUILD } from '@scriptward/client/live-messages'
import { type Denial, denial, type Grant, type Hello } from '@scriptward/client/messages'
import { KEY_BYTES, type SessionKeys, toB64u } from '@scriptward/client/wire'
import type { Deps } from '../deps.ts'
import type { Sendable } from '../protocol/payload-cache.ts'
import type { Queries } from '../store/db.ts'
import { insertExecutionMark, type OneMark } from '../store/execution-marks.ts'
import { claimScript, findRunnable, insertExecution, type RunnableRow } from '../store/executions.ts'
import { insertFfaDevice } from '../store/ffa-devices.ts'
import { deleteEndedInstances, insertInstance, KEPT_ENDED_MS } from '../store/instances.ts'
import { insertUserFingerprints } from '../store/user-fingerprints.ts'
import { type UserRow, updateEndedBlacklist, updateUserExecution } from '../store/users.ts'
import { findAdUrl } from './ad-urls.ts'
import { prefixOf } from './ad-visitors.ts'
import { tellEndedBlacklist } from './blacklists.ts'
import { recordDenial } from './denials.ts'
import { type Headers, maskDevice, nameDevice, newComponents, readDevice } from './device.ts'
import { tellDenial, tellGrant } from './execution-events.ts'
import { type Attempt, claimFacts, executorOf, gatherFacts, type Known } from './execution-facts.ts'
import { describeGrant, describeInstance, needsSession, type Run } from './grants.ts'
import { loadPayload, ship } from './payloads.ts'
import { countingUser, type Denied, deny, isBlacklisted, verify } from './verify.ts'

/** A client's opened hello and where it came from. */
export type Arrival = {
  readonly hello: Hello
  readonly isBootFor: (scriptId: string) => boolean
  readonly address: string
  readonly headers: Headers
  /** The keys of an execution whose grant has this nonce. */
  readonly keysOf: (gn: Buffer) => SessionKeys
}

/** A grant, what is sent with it and the key that this is sealed under. */
export type Execution = {
  readonly grant: Grant
  readonly projectId: string
  readonly sent: Sendable
  readonly payloadKey: Buffer
}

/** The user that a grant counts for, as he is after it; null for a guest. */
type Committed = { readonly user: UserRow | null }

const DAY_MS = 86_400_000

export async function execute(deps: Deps, arrival: Arrival): Promise<Execution | Denial> {
  const script = await findRunnable(deps.db.read, arrival.hello.script)
  const attempt = describeAttempt(deps, arrival, script)
  const known = await gatherFacts(deps.db.read, attempt)
  await tidyBlacklist(deps, known, attempt.now)
  const outcome = await decide(deps, arrival, attempt, known)
  if (!('reason' in outcome)) return outcome
  const denied = await tell(deps, outcome, { attempt, user: known.user })
  const { address, hello } = arrival
  const told = { attempt, user: known.user, address, executor: executorOf(hello), exec: null }
  if (!script) return denied
  await tellDenial(deps, { ...told, script }, denied)
  await recordDenial(deps, { attempt, script, user: known.user, address }, denied)
  return denied
}

async function decide(
  deps: Deps,
  { address, hello, keysOf }: Arrival,
  attempt: Attempt,
  known: Known,
): Promise<Execution | Denied> {
  const { script } = attempt
  const verdict = verify(known.facts)
  if (!verdict.granted) return verdict
  assert(script, 'a script that is missing is denied')
  const payload = await loadPayload(deps, script)
  if (!payload) return deny('script_not_found')
  if (payload.serviceKey && hello.lb < LOCKS_LOADER_BUILD) return deny('outdated_loader')
  const shipment = ship(payload, hello, script.version)
  const exec = toB64u(deps.random(16))
  const gn = deps.random(32)
  const keys = keysOf(gn)
  // What only a session may tell must not follow from what the client knows already.
  const payloadKey = needsSession(script) ? deps.random(KEY_BYTES) : keys.payload
  const run: Run = {
    attempt,
    script,
    exec,
    address,
    executor: executorOf(hello),
    gn,
    keys,
    payloadKey,
    shipment,
    serviceKey: payload.serviceKey,
  }
  const committed = await deps.db.transaction((tx) => commit(deps, tx, run))
  if ('reason' in committed) return committed
  const grant = describeGrant(deps, run, committed.user)
  return { grant, projectId: script.project_id, sent: shipment.sent, payloadKey }
}

function describeAttempt(deps: Deps, arrival: Arrival, script: RunnableRow | null): Attempt {
  const { hello, headers, address } = arrival
  const pepper = deps.protocol.keyring.fingerprintPepper
  const device = readDevice(pepper, { hello, headers, projectId: script?.project_id ?? '' })
  return {
    now: deps.now(),
    hello,
    isScriptNamedRightly: arrival.isBootFor(hello.script),
    script,
    device,
    guest: nameDevice(pepper, device, address),
    graceMs: deps.config.graceMs,
    network: prefixOf(address),
  }
}

/** The only change that a denied execution makes, because it is true whatever the verdict. */
async function tidyBlacklist(deps: Deps, { facts, user }: Known, now: number): Promise<void> {
  const blacklist = facts.user?.blacklist
  if (!user || !blacklist || isBlacklisted(blacklist, now)) return
  await deps.db.transaction(async (tx) => {
    if (await updateEndedBlacklist(tx, user.key, now)) await tellEndedBlacklist(tx, deps, user)
  })
}

/** Denied here only when something changed since the first look; then nothing has been written. */
async function commit(deps: Deps, tx: Queries, run: Run): Promise<Committed | Denied> {
  const { attempt, script } = run
  if (!(await claimScript(tx, script.id))) return deny('script_not_found')
  const known = await claimFacts(tx, attempt)
  const verdict = verify(known.facts)
  if (!verdict.granted) return verdict
  const user = countingUser(known.facts) ? known.user : null
  if (user) await commitUser(tx, run, { ...known, user })
  else await commitGuest(tx, run)
  await insertInstance(tx, describeInstance(deps, run, user))
  if (run.shipment.sent.marks) await insertExecutionMark(tx, describeMark(run, user))
  await deleteEndedInstances(tx, attempt.now - KEPT_ENDED_MS)
  const after = user && { ...user, executions: user.executions + 1 }
  await tellGrant(tx, deps, { ...run, user: after })
  await insertExecution(tx, {
    script_id: script.id,
    day: Math.floor(attempt.now / DAY_MS),
    executor: run.executor,
    project_id: script.project_id,
    customer_id: script.customer_id,
  })
  return { user: after }
}

function describeMark({ script, exec, executor, attempt }: Run, user: UserRow | null): OneMark {
  return {
    script_id: script.id,
    script_version: script.version,
    exec,
    user_key: user?.key ?? null,
    executor,
    granted_at: attempt.now,
  }
}

async function commitUser(tx: Queries, run: Run, { user, bound }: Known & { user: UserRow }): Promise<void> {
  const { device } = run.attempt
  const added = user.use_fingerprint ? newComponents(bound, device) : []
  const isBinding = added.length > 0 && bound.length === 0
  await updateUserExecution(tx, {
    key: user.key,
    executor: run.executor,
    fingerprint_assigned: isBinding ? 1 : user.fingerprint_assigned,
    fingerprint_display: isBinding
      ? JSON.stringify(maskDevice(device, run.address, run.executor))
      : user.fingerprint_display,
  })
  await insertUserFingerprints(
    tx,
    added.map((one) => ({ ...one, user_key: user.key, project_id: user.project_id })),
  )
}

async function commitGuest(tx: Queries, { attempt, script }: Run): Promise<void> {
  await insertFfaDevice(tx, {
    project_id: script.project_id,
    device: attempt.guest,
    customer_id: script.customer_id,
    script_id: script.id,
    first_seen: attempt.now,
  })
}

async function tell(
  deps: Deps,
  { reason, extras }: Denied,
  { attempt, user }: { readonly attempt: Attempt; readonly user: UserRow | null },
): Promise<Denial> {
  const { script, device } = attempt
  if (script === null) return denial(reason, extras)
  const ad_url = await findAdUrl(deps, reason, { projectId: script.project_id, device, user })
  const silent = script.silent === 1 ? ({ silent: true } as const) : {}
  return denial(reason, { ...extras, ...silent, ...(ad_url === undefined ? {} : { ad_url }) })
}
