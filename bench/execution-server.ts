/**
 * The process measured by `execution.ts`. The first argument selects its role: `bare` is a plain node:http
 * server that returns as many bytes as the query requests, and the other roles run the real server with one
 * script. For `marked`, the script has a watermark; for `split`, it is obfuscated; for `logged`, the
 * execution log is long. Every role reports its CPU usage on request. All real servers also have the
 * `STAGED_ID` script, which has channels and a running release.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { NO_ORDER_MARKS } from '../packages/obfuscator/src/index.ts'
import { readConfig } from '../packages/server/src/config/config.ts'
import type { Queries } from '../packages/server/src/database/engine/db.ts'
import type { Deps } from '../packages/server/src/deps.ts'
import { packFenced } from '../packages/server/src/features/builds/fenced-lz4.ts'
import { run } from '../packages/server/src/features/builds/job.ts'
import { writeSlots } from '../packages/server/src/features/builds/stored-slots.ts'
import { insertBot } from '../packages/server/src/features/discord/store/bots.ts'
import { insertUser } from '../packages/server/src/features/keys/store/users.ts'
import { insertPlan } from '../packages/server/src/features/plans/store.ts'
import { insertProject } from '../packages/server/src/features/projects/store/projects.ts'
import { writeStaging } from '../packages/server/src/features/releases/customer-version.ts'
import { insertScriptVersion } from '../packages/server/src/features/scripts/store/script-versions.ts'
import { insertScript } from '../packages/server/src/features/scripts/store/scripts.ts'
import { start } from '../packages/server/src/start.ts'
import { APPLICATION } from '../packages/server/test/chat/fake-discord.ts'
import { ADMIN_KEY } from './served.ts'

const SCRIPT_BYTES = 102_400
const SLOTS = 1024
const KEY = 'k'.repeat(32)
/** A key whose plan has features, a duration, a quota and three device slots. */
const PLANNED_KEY = 'p'.repeat(32)
/** A key without a plan, as the baseline. */
const PLAIN_KEY = 'q'.repeat(32)
const PLAN = {
  id: 'pln_bench',
  name: 'Pro',
  clock_basis: 'first_use',
  clock_duration: 30 * 86_400_000,
  max_devices: 3,
  device_match: 'tolerant',
  quota_count: 1_000_000_000,
  quota_period: 'day',
  features: JSON.stringify({ turbo: true, slots: 3, tone: 'blue' }),
} as const
const SCRIPT_ID = 'scr_bench'
const PLAIN = { report_errors: 0 } as const
const STAGED_ID = 'scr_staged'
/** A script with channels, a running release, executor rules and error reports. */
const STAGED = {
  report_errors: 1,
  executor_rules: JSON.stringify({
    mode: 'enforce',
    rules: [{ action: 'deny', executor: 'Garden', versions: ['2.*'] }],
  }),
  staging: writeStaging({
    channels: [
      { name: 'beta', version: 2, tags: ['tester'], plans: ['pln_bench'] },
      { name: 'early', version: 2, tags: ['early'], plans: [] },
    ],
    releases: [
      {
        ...{ id: 'rel_bench', channel: 'stable', version: 2, before: 1, percent: 25 },
        ...{ salt: 'of the benchmark', since: 0 },
      },
    ],
  }),
} as const
const MEMBER_PROJECT_ID = 'prj_members'
const MEMBER_SCRIPT_ID = 'scr_members'
/** Discord accounts linked to the keys of the project above. */
const ACCOUNTS = Array.from({ length: 100 }, (_, i) => String(410_000_000_000_000_000n + BigInt(i)))
const memberKey = (account: string) => account.padStart(32, 'm')
const LOG_STEP_MS = 200
const LOG_BATCH = 20_000

const place = process.argv[2] === 'bare' ? await startBare() : await startService()
process.on('message', () => process.send?.(process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000))
process.send?.({
  ...{ ...place, scriptId: SCRIPT_ID, stagedId: STAGED_ID },
  ...{ key: KEY, plannedKey: PLANNED_KEY, plainKey: PLAIN_KEY },
  ...{ memberProjectId: MEMBER_PROJECT_ID, memberScriptId: MEMBER_SCRIPT_ID },
  ...{ memberKey: memberKey(ACCOUNTS[0] ?? ''), accounts: ACCOUNTS },
})

async function startBare(): Promise<{ url: string }> {
  const server = createServer((request, response) => {
    const size = Number(request.url?.split('?')[1])
    request.on('data', () => {})
    request.on('end', () => response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(size)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  process.on('disconnect', () => process.exit())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function startService(): Promise<{ url: string }> {
  const bot =
    process.env.BENCH_DISCORD === undefined ? undefined : (JSON.parse(process.env.BENCH_DISCORD) as BenchBot)
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const settings = {
    SCRIPTWARD_PORT: '0',
    // All clients of a benchmark share one IP address.
    SCRIPTWARD_MAX_CONNECTIONS_PER_ADDRESS: '1000000',
    SCRIPTWARD_CLIENT_RATES: '0',
    SCRIPTWARD_API_RATES: '0',
    SCRIPTWARD_DATA_DIR: dataDir,
    SCRIPTWARD_ADMIN_KEY: ADMIN_KEY,
    ...(bot && { SCRIPTWARD_DISCORD_URL: bot.url }),
    ...(process.env.BENCH_DATABASE_URL === undefined
      ? {}
      : { SCRIPTWARD_DATABASE_URL: process.env.BENCH_DATABASE_URL }),
  }
  const log = pino({ level: 'info' }, { write: () => {} })
  const { url, deps } = await start(readConfig(settings), { now: Date.now, random: randomBytes, log })
  await addScript(deps, bot)
  if (process.argv[2] === 'logged') await fillLog(deps)
  process.on('disconnect', () => {
    rmSync(dataDir, { recursive: true, force: true })
    process.exit()
  })
  return { url }
}

async function addScript(deps: Deps, bot: BenchBot | undefined): Promise<void> {
  const { db, now } = deps
  const [owner] = await db.read.selectFrom('customers').selectAll().execute()
  const project = { id: 'prj_bench', customer_id: owner?.id ?? '', name: 'bench', created_at: now() }
  const rules = {
    fingerprint_reset_cooldown: 0,
    allow_fingerprint_resets: 1,
    delete_expired_users: 0,
  } as const
  const flags = {
    free_for_all: 0,
    use_heartbeat: 0,
    kick_outdated: 0,
    require_sessions: 0,
    silent: 0,
  } as const
  const version = process.argv[2] === 'split' ? splitVersion() : plainVersion(process.argv[2] === 'marked')
  await db.transaction(async (tx) => {
    await insertProject(tx, { ...project, ...rules, require_chat: 0, require_join_chat_server: 0 })
    const named = { project_id: project.id, name: 'bench', version: 1, created_at: now() }
    await insertScript(tx, { ...flags, ...named, ...PLAIN, id: SCRIPT_ID })
    await insertScript(tx, { ...flags, ...named, ...STAGED, id: STAGED_ID })
    const built = { preset: 'light', created_at: now(), source: randomBytes(16), ...version }
    const stored = { ...built, report: '{}', duration_ms: 1 }
    await insertScriptVersion(tx, { ...stored, script_id: SCRIPT_ID, version: 1 })
    const other = { ...named, project_id: MEMBER_PROJECT_ID }
    await insertProject(tx, {
      ...project,
      ...rules,
      id: MEMBER_PROJECT_ID,
      require_chat: 0,
      require_join_chat_server: 1,
    })
    await insertScript(tx, { ...flags, ...other, ...PLAIN, id: MEMBER_SCRIPT_ID })
    await insertScriptVersion(tx, { ...stored, script_id: MEMBER_SCRIPT_ID, version: 1 })
    if (bot) await addMembers(tx, deps, bot)
    for (const number of [1, 2])
      await insertScriptVersion(tx, { ...stored, script_id: STAGED_ID, version: number })
    const row = { project_id: project.id, created_at: now() }
    await insertUser(tx, { ...row, key: KEY })
    await insertUser(tx, { ...row, key: PLAIN_KEY })
    await insertPlan(tx, { ...PLAN, ...row })
    await insertUser(tx, { ...row, key: PLANNED_KEY, plan_id: PLAN.id, clock_waits: 1 })
  })
}

type BenchBot = {
  readonly url: string
  readonly public_key: string
  readonly token: string
  readonly server_id: string
}

/** A second project requires membership in a Discord server and has one key per account. */
async function addMembers(
  tx: Queries,
  { now, secrets }: Deps,
  { token, public_key, server_id }: BenchBot,
): Promise<void> {
  const at = { project_id: MEMBER_PROJECT_ID, created_at: now() }
  for (const chat_id of ACCOUNTS) await insertUser(tx, { ...at, key: memberKey(chat_id), chat_id })
  await insertBot(tx, {
    ...{ project_id: MEMBER_PROJECT_ID, application_id: APPLICATION, name: 'bench', public_key, server_id },
    ...{ token: secrets.seal('discordToken', MEMBER_PROJECT_ID, token), staff: '[]', connected_at: now() },
  })
}

/**
 * Spreads the log rows across twenty projects, forty versions and 200,000 keys. The benchmark's script is in
 * the first project.
 */
async function fillLog({ db, now }: Deps): Promise<void> {
  const rows = Number(process.argv[3])
  const begin = now() - rows * LOG_STEP_MS
  for (let from = 0; from < rows; from += LOG_BATCH)
    await db.transaction((tx) => {
      const numbers = `with recursive n (i) as (
        select ${from} union all select i + 1 from n where i + 1 < ${Math.min(from + LOG_BATCH, rows)})`
      return sql
        .raw(
          `insert into execution_log (project_id, script_id, script_version, at, outcome, reason, exec, user_key,
            executor, runtime, ended_at, ending) ${numbers}
          select case when i % 20 = 0 then 'prj_bench' else 'prj_' || (i % 20) end,
            case when i % 20 = 0 then '${SCRIPT_ID}' else 'scr_' || (i % 20) end, 1 + i / ${rows / 40}, ${begin} + ${LOG_STEP_MS} * i,
            case when i % 51 = 0 then 'crashed' when i % 17 = 0 then 'denied' else 'granted' end,
            case when i % 51 <> 0 and i % 17 = 0 then 'key_expired' end, 'execution-' || i, 'key-' || (i * 31 % 200000),
            'executor ' || (i % 9), 'luau', ${begin} + ${LOG_STEP_MS} * i + 60000, 'finished' from n`,
        )
        .execute(tx)
    })
  // Marks these rows as counted. Otherwise, a job would count them during the measurement.
  await db.transaction((tx) =>
    sql`insert into health_progress (id, counted) select 1, max(seq) from execution_log where true
      on conflict (id) do update set counted = excluded.counted`.execute(tx),
  )
}

function plainVersion(isMarked: boolean) {
  const text = source()
  const slots = isMarked ? slotsIn(text) : []
  const fences = slots.flat().map(({ at, text: { length } }) => ({ at, length }))
  return {
    source_bytes: text.length,
    payload: packFenced(text, fences),
    payload_size: text.length,
    slots: writeSlots(slots, NO_ORDER_MARKS),
  }
}

/** Returns an obfuscated version of the script. */
function splitVersion() {
  const lines = Array.from(
    { length: 500 },
    (_, i) => `function f${i}(a) return a * ${i * 7} .. "${i * 31}" end`,
  )
  const text = lines.join('\n')
  const built = run({ source: text, options: { parameters: ['ward'], seed: 1, slots: SLOTS } })
  if ('errors' in built || built.split === null) throw new Error('the script is not split')
  const { payload, size, slots, split } = built
  const parts = { data: split.data, data_size: split.size, data_at: split.at, interpreter: ' ' }
  return {
    source_bytes: text.length,
    payload,
    payload_size: size,
    slots: writeSlots(slots, built.orders),
    ...parts,
  }
}

/**
 * Returns as many watermark slots as a script of this size would have, at positions where the content is
 * incompressible. Some slots have two positions.
 */
function slotsIn(text: string) {
  const places = [...text.matchAll(/"[0-9a-f]{12}"/g)].slice(0, SLOTS).map(({ index }) => index)
  const edit = (at: number) => ({ at, text: '~~~' })
  return places.map((at, i) => (i % 4 === 0 ? [edit(at + 1), edit(at + 5)] : [edit(at + 1)]))
}

/** Returns a source that compresses to about a third of its size, like an obfuscated script. */
function source(): string {
  const lines = ['return function(ward, ...)']
  for (let size = 0; size < SCRIPT_BYTES; size += lines.at(-1)?.length ?? 0) {
    const word = randomBytes(6).toString('hex')
    lines.push(
      `local function f${lines.length}(a, b) if a > ${lines.length % 97} then return "${word}" end return a * b end`,
    )
  }
  return lines.join('\n').slice(0, SCRIPT_BYTES)
}
