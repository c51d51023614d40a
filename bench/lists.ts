/**
 * Lists, filters and counts of a project with a million users and a million denials, on both engines. What is asked for
 * stands at the end of the project, behind users who are as near to it as can be: no filter finds its page early.
 */
import { type Base, onBothEngines } from './management-base.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, processorNs, serve } from './served.ts'

const USERS = 1_000_000
const FEW = 10_000
/** At the end, a fifth of each status. */
const MIXED = 1000
const DENIALS = 1_000_000
const ASKED = 5
const ASKED_IN_TURN = 21
const LIMIT_MS = 300

export function bench(): Promise<Row[]> {
  return onBothEngines(benchEngine)
}

async function benchEngine(engine: string, base: Base): Promise<Row[]> {
  const projects = await plantProjects(base)
  const rows = await measure(engine, base, projects)
  await base.remove()
  return rows
}

/**
 * `earned`: keys from ads that nobody used. `linked`: keys of chat accounts that run without a device. `spread` and `few`: a
 * fifth of each status everywhere, among a million and among ten thousand.
 */
export type Projects = Readonly<Record<'earned' | 'linked' | 'spread' | 'few', string>>

export async function plantProjects(base: Base): Promise<Projects> {
  const served = await serve(base.dataDir, base.settings)
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const make = async (name: string) => {
    const body = JSON.stringify({ name })
    const made = await fetch(`${served.url}/v1/projects/new`, { method: 'POST', headers, body })
    return ((await made.json()) as { project_id: string }).project_id
  }
  const projects = {
    earned: await make('Earned'),
    linked: await make('Linked'),
    spread: await make('Spread'),
    few: await make('Few'),
  }
  await served.stop()
  await plantUsers(base, projects.earned, EARNED, [USERS, MIXED])
  await plantUsers(base, projects.linked, LINKED, [USERS, MIXED])
  await plantUsers(base, projects.spread, LINKED, [USERS, USERS])
  await plantUsers(base, projects.few, LINKED, [FEW, FEW])
  await plantDenials(base, projects.earned)
  await base.query(
    `update projects set total_users = (select count(*) from users where project_id = projects.id)`,
  )
  const isPostgres = 'SCRIPTWARD_DATABASE_URL' in base.settings
  if (isPostgres) for (const word of ['vacuum analyze', 'checkpoint']) await base.query(word)
  return projects
}

/** Values of a user among the first ones, as SQL. */
type Crowd = Readonly<Record<'chat_id' | 'executor' | 'executions' | 'key_expires' | 'ad_system_id', string>>
const EARNED: Crowd = {
  chat_id: 'null',
  executor: 'null',
  executions: '0',
  key_expires: '4000000000000',
  ad_system_id: "'sys_of_ads'",
}
const LINKED: Crowd = {
  chat_id: "'chat-' || i",
  executor: "'Wave'",
  executions: '5',
  key_expires: 'null',
  ad_system_id: 'null',
}
/** One of each status: active, unused, expired, blacklisted, locked. */
const LAST: Readonly<Record<keyof Crowd | 'blacklisted' | 'note' | 'tags', readonly string[]>> = {
  chat_id: ['null', 'null', 'null', "'chat-' || i", 'null'],
  executor: ["'Garden'", 'null', "'Garden'", 'null', 'null'],
  executions: ['1', '0', '1', '0', '0'],
  key_expires: ['4000000000000', '4000000000000', '1', 'null', '4000000000000'],
  ad_system_id: ['null', 'null', 'null', 'null', "'sys_of_ads'"],
  blacklisted: ['0', '0', '0', '1', '0'],
  note: ["'paid'", "'paid'", "'paid'", "'paid'", "'paid'"],
  tags: Array(5).fill(`'["customer","paid"]'`),
}

async function plantUsers(
  base: Base,
  projectId: string,
  crowd: Crowd,
  [users, mixed]: readonly [number, number],
): Promise<void> {
  const all: typeof crowd & Record<string, string> = {
    ...crowd,
    blacklisted: '0',
    note: "'customer number ' || i",
    tags: `'["customer"]'`,
  }
  // A term that a million users of any project hold is not searched for by its index.
  const last = users === mixed ? { ...LAST, note: Array(5).fill("'spread'") } : LAST
  const columns = Object.entries(last).map(([name, values]) => {
    const cases = values.map((value, kind) => `when ${kind} then ${value}`).join(' ')
    return `case when i <= ${users - mixed} then ${all[name]} else case i % 5 ${cases} end end`
  })
  const key = isPostgres(base) ? 'md5(random()::text || i)' : 'lower(hex(randomblob(16)))'
  const names = Object.keys(LAST).join(', ')
  await base.query(`insert into users (key, customer_id, project_id, created_at, ${names})
    select ${key}, (select customer_id from projects limit 1), '${projectId}', 0, ${columns.join(', ')} from ${numbers(base, users)}`)
  await base.query(`insert into ad_keys
    (user_key, project_id, system_id, visitor, network, browser, created_at, locked_network)
    select key, project_id, 'sys_of_ads', 'v', 'n', 'b', 0, case when note = 'paid' then 'n' end
    from users where project_id = '${projectId}' and ad_system_id is not null`)
}

/** Of fifty users in a thousand, fifty times each; the oldest are of a rare reason, script and executor. */
async function plantDenials(base: Base, projectId: string): Promise<void> {
  const users = DENIALS / 50
  const [{ first } = {}] = await base.query(
    `select min(seq) as first from users where project_id = '${projectId}'`,
  )
  const rare = (value: string, common: string) => `case when i <= 1000 then ${value} else ${common} end`
  await base.query(`insert into denials (project_id, user_key, script_id, script_version, reason, ip, fingerprint, executor,
    runtime, first_at, last_at)
    select '${projectId}', u.key, ${rare("'scr_rare'", "'scr_common'")}, 1, ${rare("'max_executions'", "'fingerprint_mismatch'")},
      'ip', 'fp', ${rare("'Garden'", "'Wave'")}, 'luau', 1000 + i, 1000 + i
    from ${numbers(base, DENIALS)} cross join users as u where u.seq = ${first} + i % ${users}`)
}

function numbers(base: Base, count: number): string {
  if (isPostgres(base)) return `generate_series(1, ${count}) as n (i)`
  return `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`
}

function isPostgres(base: Base): boolean {
  return 'SCRIPTWARD_DATABASE_URL' in base.settings
}

/** Below `/v1/projects/:project_id`. */
const QUESTIONS: readonly string[] = [
  ...['active', 'unused', 'expired', 'blacklisted', 'locked'].map(
    (status) => `users/filter?status=${status}&limit=50`,
  ),
  'users/filter?note=paid&limit=50',
  'users/filter?tag=paid&limit=50',
  'users/filter?executor=Garden&limit=50',
  `users/filter?chat_id=chat-${USERS - 2}&limit=50`,
  'users/filter?search=paid&limit=50',
  'users/counts',
  ...['reason=max_executions', 'executor=Garden', 'script_id=scr_rare&executor=Garden'].map(
    (query) => `denials/filter?${query}&limit=50`,
  ),
]

/** What is asked of many and of few, in turn. */
const COMPARED = ['status=active', 'status=unused', 'status=expired', 'status=blacklisted', 'tag=paid']

export async function measure(engine: string, base: Base, projects: Projects): Promise<Row[]> {
  const served = await serve(base.dataDir, {
    ...base.settings,
    SCRIPTWARD_API_RATES: '0',
    SCRIPTWARD_LOG_LEVEL: 'error',
  })
  const addressOf = (project: string, question: string) => `${served.url}/v1/projects/${project}/${question}`
  const rows: Row[] = []
  try {
    for (const name of ['earned', 'linked'] as const)
      for (const question of QUESTIONS) {
        const before = processorNs(served.pid)
        const value = await timesOf(addressOf(projects[name], question))
        const processorMs = (processorNs(served.pid) - before) / ASKED / 1e6
        rows.push({
          name: `${engine}: ${name}, ${question.replace('&limit=50', '')}`,
          value,
          unit: 'ms',
          limit: `<= ${LIMIT_MS}`,
          note: `${processorMs.toFixed(0)} ms of the service's processor time`,
        })
      }
    for (const question of COMPARED) {
      const page = `users/filter?${question}&limit=50`
      rows.push(
        await compare(
          `${engine}: ${question}`,
          addressOf(projects.spread, page),
          addressOf(projects.few, page),
        ),
      )
    }
  } finally {
    await served.stop()
  }
  return rows
}

async function compare(name: string, ofMany: string, ofFew: string): Promise<Row> {
  const [many, few]: [number[], number[]] = [[], []]
  for (let number = 0; number < ASKED_IN_TURN; number += 1) {
    many.push(await timeOf(ofMany))
    few.push(await timeOf(ofFew))
  }
  const note = `${median(many).toFixed(1)} and ${median(few).toFixed(1)} ms`
  return {
    name: `${name} of a million to ten thousand`,
    value: median(many) / median(few),
    unit: 'x',
    limit: '<= 1.3',
    note,
  }
}

async function timesOf(url: string): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < ASKED; number += 1) times.push(await timeOf(url))
  return median(times)
}

async function timeOf(url: string): Promise<number> {
  const start = performance.now()
  const answer = await fetch(url, { headers: { token: ADMIN_KEY } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return performance.now() - start
}
