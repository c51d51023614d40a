/**
 * Runs one execution. It gathers the data that `verdict.ts` evaluates. A grant binds the device, counts the
 * execution and creates the instance in one transaction. `exchange.ts` decrypts the hello and encrypts the
 * response.
 */
import assert from 'node:assert'
import {
  BEAT_INTERVAL_MS,
  CLIENT_GRACE_MS,
  ERRORS_LOADER_BUILD,
  FIRST_BEAT_MS,
  PING_MS,
  PROBES_LOADER_BUILD,
  SERVER_GRACE_MS,
  SESSION_DEADLINE_MS,
  SILENT_LIFE_MS,
} from '@scriptward/client/live-messages'
import { DEFAULT_CALLS_PER_MINUTE, type Grant, type Hello } from '@scriptward/client/messages'
import { PROBE_LIST } from '@scriptward/client/probe'
import { KEY_BYTES, type SessionKeys, toB64u } from '@scriptward/client/wire'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { findLanguage } from '../../pages/language.ts'
import { prefixOf } from '../../platform/limits/networks.ts'
import type { Content } from '../../protocol/contents.ts'
import type { Sendable } from '../../protocol/payload-cache.ts'
import { loadPayload, lowestBuildFor, type Shipment, ship } from '../builds/payloads.ts'
import { nameHolder } from '../builds/watermark.ts'
import { settleDevice } from '../devices/bindings.ts'
import { type ClientTraits, nameDevice, readDevice } from '../devices/device-data.ts'
import { insertFfaDevice } from '../devices/store/ffa-devices.ts'
import { learnMembership } from '../discord/membership.ts'
import { countHit } from '../executors/hits.ts'
import { callsPerMinute } from '../functions/call-rate.ts'
import { isActive } from '../key-validity/blacklist.ts'
import { reportEndedBlacklist } from '../keys/blacklists.ts'
import { type UserRow, updateEndedBlacklist, updateUserExecution } from '../keys/store/users.ts'
import type { PlanRow } from '../plans/store.ts'
import { versionFor } from '../releases/customer-version.ts'
import { claimScript, type RunnableRow } from '../scripts/store/runnable-scripts.ts'
import { loadContent } from '../sessions/contents.ts'
import {
  changingVariables,
  type Described,
  sealBeatStates,
  sealSecrets,
  secondsLeft,
  selectUpdates,
} from '../sessions/instances.ts'
import { ownKickMessages } from '../sessions/kick-words.ts'
import { describeLocks } from '../sessions/leases.ts'
import { insertInstance, type StartedInstance } from '../sessions/store/instances.ts'
import { addEvent, eventUser } from '../webhooks/events/events.ts'
import { bannableParts, endBanned } from './bans-made-meanwhile.ts'
import { countUse, type Use } from './count-use.ts'
import type { DeniedExecution } from './denials/denials.ts'
import {
  type Attempt,
  claimFacts,
  describeExecution,
  executorOf,
  executorVersion,
  type Gathered,
  gatherFacts,
  holdsSession,
  isLive,
} from './facts.ts'
import { insertExecution } from './store/daily-executions.ts'
import { type GrantedRow, insertGrantedRow } from './store/execution-log.ts'
import { insertExecutionMark, type OneMark } from './store/execution-marks.ts'
import { countingUser, type Denied, deny, judgeFacts } from './verdict.ts'

/** A decrypted hello, the script and user it names, and its origin. */
export type Arrival = {
  readonly hello: Hello
  readonly script: RunnableRow | null
  /** Null if the hello has no key or a key from another project. */
  readonly user: UserRow | null
  readonly isBootFor: (scriptId: string) => boolean
  readonly address: string
  readonly traits: ClientTraits
  /** Derives the session keys for a grant with this nonce. */
  readonly keysOf: (gn: Buffer) => SessionKeys
}

/** A grant, the payload to send and the key that encrypts it. */
export type Execution = {
  readonly grant: Grant
  readonly projectId: string
  /** The holder that the watermark identifies. */
  readonly holder: string
  readonly sent: Sendable
  readonly payloadKey: Buffer
}

/** The user after the grant. Null for a guest. */
type Committed = { readonly user: UserRow | null; readonly plan: PlanRow | null; readonly holder: string }

type Run = {
  readonly attempt: Attempt
  readonly script: RunnableRow
  readonly exec: string
  readonly address: string
  readonly executor: string
  /** The nonce of the grant. `keys` are derived from it. */
  readonly gn: Buffer
  readonly keys: SessionKeys
  /** Random if the script requires a session, and otherwise derived. */
  readonly payloadKey: Buffer
  readonly shipment: Shipment
  /**
   * The version's key, from which this execution's lock keys are derived. Null if the version has no locks.
   */
  readonly serviceKey: Buffer | null
  readonly content: Content | undefined
  /** The executor's version if the client is asked for its functions, and otherwise null. */
  readonly probe: string | null
}

const DAY_MS = 86_400_000
/** Number of random bytes used to spread the first heartbeats. */
const SPREAD_BYTES = 4

export async function execute(deps: Deps, arrival: Arrival): Promise<Execution | DeniedExecution> {
  const arrived = await describeAttempt(deps, arrival)
  const gathered = await gatherFacts(deps.db.read, arrived, arrival.user)
  const attempt = { ...arrived, script: arrived.script && serve(arrived.script, arrived.guest, gathered) }
  await clearEndedBlacklist(deps, gathered, attempt.now)
  const outcome = await decide(deps, arrival, attempt, gathered)
  return 'reason' in outcome ? { verdict: outcome, attempt, user: gathered.user } : outcome
}

async function decide(
  deps: Deps,
  { address, hello, keysOf }: Arrival,
  attempt: Attempt,
  { facts }: Gathered,
): Promise<Execution | Denied> {
  const verdict = judgeFacts(facts)
  if (!verdict.granted) return verdict
  assert(attempt.script, 'a script that is missing is denied')
  // Changes made after this point apply to the next run.
  const script = { ...attempt.script, version: verdict.keptVersion ?? attempt.script.version }
  const payload = await loadPayload(deps, script)
  if (!payload) return deny('script_not_found')
  if (hello.lb < lowestBuildFor(payload)) return deny('outdated_loader')
  const shipment = ship(payload, hello, script.version)
  const exec = toB64u(deps.random(16))
  const gn = deps.random(32)
  const keys = keysOf(gn)
  // If a key is delivered only over a session, the client must not be able to derive it.
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
    serviceKey: payload.locked?.serviceKey ?? null,
    content: await loadContent(deps, deps.db.readPoint, script),
    probe: askedVersion(deps, attempt),
  }
  const committed = await deps.db.transaction((tx) => commit(deps, tx, run))
  if ('reason' in committed) return committed
  deps.outcomes.countOutcome({ script, outcome: 'granted', now: attempt.now })
  if (committed.user) deps.keyUses.noteUse(committed.user, { address, now: attempt.now })
  const grant = describeGrant(deps, run, committed)
  const { holder } = committed
  return { grant, projectId: script.project_id, holder, sent: shipment.sent, payloadKey }
}

function askedVersion({ executorAsks }: Deps, { hello, now }: Attempt): string | null {
  const executor = executorVersion(hello)
  const canAnswer = hello.lb >= PROBES_LOADER_BUILD
  return canAnswer && executorAsks.take(executor, now) ? executor.version : null
}

async function describeAttempt(deps: Deps, arrival: Arrival): Promise<Attempt> {
  const { hello, script, user, traits, address } = arrival
  const learned = await learnMembership(deps, script, user)
  const pepper = deps.secrets.fingerprintPepper
  const device = readDevice(pepper, { hello, traits, projectId: script?.project_id ?? '' })
  const guest = nameDevice(pepper, device, address)
  return {
    now: deps.now(),
    hello,
    isScriptNamedRightly: arrival.isBootFor(hello.script),
    script,
    device,
    guest,
    graceMs: deps.config.graceMs,
    address,
    network: prefixOf(address),
    learned,
  }
}

/**
 * Replaces the version of the script with the one that this customer gets from a channel or a
 * release. A user who runs as a guest gets the guests' version.
 */
function serve(script: RunnableRow, guest: string, gathered: Gathered): RunnableRow {
  if (script.staging === null) return script
  const user = countingUser(gathered.facts) ? gathered.user : null
  const { tags, plan_id } = user ?? { tags: null, plan_id: null }
  return { ...script, version: versionFor(script, { customer: user?.key ?? guest, tags, plan_id }) }
}

/** Clears an expired blacklist regardless of the verdict. A denied execution changes nothing else. */
async function clearEndedBlacklist(deps: Deps, { facts, user }: Gathered, now: number): Promise<void> {
  const blacklist = facts.user?.blacklist
  if (!user || !blacklist || isActive(blacklist, now)) return
  await deps.db.transaction(async (tx) => {
    if (await updateEndedBlacklist(tx, user.seq, now)) await reportEndedBlacklist(tx, deps, user)
  })
}

/**
 * Re-evaluates the execution under the lock. If its data has changed and the run is now denied, nothing is
 * written.
 */
async function commit(deps: Deps, tx: Queries, run: Run): Promise<Committed | Denied> {
  const { attempt, script } = run
  if (!(await claimScript(tx, script.id))) return deny('script_not_found')
  const claimed = await claimFacts(tx, attempt)
  const verdict = judgeFacts(claimed.facts)
  if (!verdict.granted) return verdict
  const user = countingUser(claimed.facts) ? claimed.user : null
  const used = user && countUse(user, claimed.plan, attempt.now)
  if (user && used) await commitUser(tx, deps, run, { ...claimed, user, used })
  else await commitGuest(tx, run)
  const holder = holderOf(run, user)
  const after = user && { ...user, ...used, executions: user.executions + 1 }
  const counted = { user: after, plan: user && claimed.plan, holder }
  await insertInstance(tx, describeInstance(deps, run, counted))
  if (run.shipment.sent.marks) await insertExecutionMark(tx, describeMark(run, user, holder))
  await insertGrantedRow(tx, describeGranted(run, user))
  await reportGrant(tx, deps, run, after)
  const bans = await insertExecution(tx, {
    script_id: script.id,
    day: Math.floor(attempt.now / DAY_MS),
    executor: run.executor,
    project_id: script.project_id,
    customer_id: script.customer_id,
  })
  if (claimed.facts.script?.executor_rule === 'watch') {
    const { guest, now } = attempt
    await countHit(tx, { script_id: script.id, executor: run.executor, customer: user?.key ?? guest, now })
  }
  if (bans !== script.bans) await endBanned(tx, run, user, bans)
  return counted
}

function holderOf({ script, attempt }: Run, user: UserRow | null): string {
  const device = user ? null : attempt.guest
  return nameHolder({ scriptId: script.id, version: script.version, userKey: user?.key ?? null, device })
}

function describeMark(
  { script, exec, executor, attempt }: Run,
  user: UserRow | null,
  holder: string,
): OneMark {
  return {
    script_id: script.id,
    script_version: script.version,
    exec,
    holder,
    user_key: user?.key ?? null,
    executor,
    granted_at: attempt.now,
  }
}

async function commitUser(
  tx: Queries,
  deps: Deps,
  { attempt, address, executor }: Run,
  { user, plan, known, used }: Gathered & { readonly user: UserRow; readonly used: Use },
): Promise<void> {
  const { device, now } = attempt
  const visit = { user, plan, known, device, address, executor, now }
  const bound = user.use_fingerprint ? await settleDevice(tx, deps, visit) : user
  await updateUserExecution(tx, {
    ...used,
    key: user.key,
    project_id: user.project_id,
    executor,
    fingerprint_assigned: bound.fingerprint_assigned,
    fingerprint_display: bound.fingerprint_display,
  })
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

async function reportGrant(tx: Queries, deps: Deps, run: Run, row: UserRow | null): Promise<void> {
  const { hears_executions, project_id } = run.script
  if (hears_executions === 0) return
  const data = describeExecution({ ...run, user: row && eventUser(row) })
  await addEvent(tx, deps, { type: 'execution.granted', project_id, data })
}

function describeGranted({ attempt, script, exec, executor }: Run, user: UserRow | null): GrantedRow {
  return {
    project_id: script.project_id,
    script_id: script.id,
    script_version: script.version,
    at: attempt.now,
    exec,
    user_key: user?.key ?? null,
    device: user ? null : attempt.guest,
    executor,
    runtime: attempt.hello.rt,
  }
}

function describeInstance(deps: Deps, run: Run, counted: Committed): StartedInstance {
  const { user } = counted
  const { attempt, script, exec, executor } = run
  const { hello, now, guest } = attempt
  return {
    exec,
    project_id: script.project_id,
    script_id: script.id,
    user_key: user?.key ?? null,
    device: user ? null : guest,
    script_version: script.version,
    executor,
    runtime: hello.rt,
    language: findLanguage(hello.lang) ?? null,
    game_user_id: hello.game?.game_user_id ?? null,
    place_id: hello.game?.place_id ?? null,
    job_id: hello.game?.job_id ?? null,
    granted_at: now,
    last_seen: now,
    expires_at: now + lifeOf(run),
    probe: run.probe,
    ...bannableParts(attempt),
    ...liveParts(deps, run, counted),
  }
}

function describeGrant(deps: Deps, run: Run, counted: Committed): Grant {
  const { attempt, script, exec, gn } = run
  const { described } = run.shipment
  return {
    ok: true,
    exec,
    gn: toB64u(gn),
    st: attempt.now,
    script: { id: script.id, name: script.name, version: script.version },
    vars: describeVariables(run, counted),
    payload: needsSession(script) ? { ...described, mode: 'ws' } : described,
    beat: {
      on: beats(run),
      interval: BEAT_INTERVAL_MS,
      grace: CLIENT_GRACE_MS,
      first: firstBeat(deps.random(SPREAD_BYTES)),
    },
    ws: {
      on: holdsSession(attempt.hello),
      required: needsSession(script),
      url: null,
      ping: PING_MS,
      deadline: SESSION_DEADLINE_MS,
    },
    flags: {
      silent: script.silent === 1,
      kick_outdated: script.kick_outdated === 1,
      free_for_all: script.free_for_all === 1,
    },
    ...describeLocks(run.serviceKey, { exec, isBeating: beats(run) }),
    ...describeCalls(script),
    ...(script.report_errors === 1 && attempt.hello.lb >= ERRORS_LOADER_BUILD ? { errors: true } : {}),
    ...(run.probe === null ? {} : { probe: PROBE_LIST }),
    ...(beats(run) || needsSession(script) ? ownKickMessages(attempt.hello.lang) : {}),
  }
}

/** Older loaders ignore the limit and use the default. */
function describeCalls({ max_calls }: RunnableRow): Pick<Grant, 'calls'> {
  const calls = callsPerMinute(max_calls)
  return calls === DEFAULT_CALLS_PER_MINUTE ? {} : { calls }
}

function needsSession(script: RunnableRow): boolean {
  return script.require_sessions === 1
}

function beats({ attempt, script }: Run): boolean {
  return script.use_heartbeat === 1 && isLive(attempt.hello)
}

/**
 * Returns the time until the first heartbeat or connection is due. If neither is expected, the instance
 * counts as running for a fixed time.
 */
function lifeOf(run: Run): number {
  if (beats(run)) return FIRST_BEAT_MS.most + SERVER_GRACE_MS
  return needsSession(run.script) ? SERVER_GRACE_MS : SILENT_LIFE_MS
}

function liveParts(
  deps: Deps,
  { attempt, script, exec, keys, payloadKey, content }: Run,
  { user, plan }: Committed,
): Pick<StartedInstance, 'secrets' | 'beat_keys' | 'variables_digest' | 'ws_required'> {
  if (!isLive(attempt.hello))
    return { secrets: null, beat_keys: null, variables_digest: null, ws_required: 0 }
  const described = describeOwner(script, user, plan)
  return {
    secrets: sealSecrets(deps, exec, { ws: keys.ws, payload: payloadKey, lease: keys.lease }),
    beat_keys: sealBeatStates(deps, exec, 0, { current: keys.beat, former: keys.beat }),
    variables_digest: changingVariables(described, attempt.now, content).digest,
    ws_required: needsSession(script) ? 1 : 0,
  }
}

function describeVariables({ attempt, script, content }: Run, { user, plan }: Committed): Grant['vars'] {
  const telling = changingVariables(describeOwner(script, user, plan), attempt.now, content)
  return {
    is_premium: user !== null,
    executions: user?.executions ?? 0,
    seconds_left: secondsLeft(user?.key_expires ?? null, attempt.now),
    supports_sessions: holdsSession(attempt.hello),
    ...selectUpdates(null, telling),
  }
}

/** Returns the script and user data that running scripts can read. The user data is null for a guest. */
function describeOwner({ id, name }: RunnableRow, user: UserRow | null, plan: PlanRow | null): Described {
  return {
    ...{ script_id: id, script_name: name, plan_id: plan?.id ?? null },
    user_key: user?.key ?? null,
    note: user?.note ?? null,
    tags: user?.tags ?? null,
    metadata: user?.metadata ?? null,
    chat_id: user?.chat_id ?? null,
    key_expires: user?.key_expires ?? null,
    features: user?.features ?? null,
    plan_name: plan?.name ?? null,
    plan_features: plan?.features ?? null,
    grace: plan?.grace ?? null,
  }
}

function firstBeat(random: Buffer): number {
  const { least, most } = FIRST_BEAT_MS
  return Math.round(least + (most - least) * (random.readUInt32LE(0) / 2 ** 32))
}
