/**
 * Measures how a flood from a stranger or a single account affects other users. Each run alternates calm and
 * flooded phases, on both database engines. The floods are huge bodies without credentials, an import of
 * 100,000 entries, three invalid imports, uploads that can't be built, eight accounts whose server functions
 * never return, and login attempts. All limits have their default values. Clients set their IP addresses
 * through `X-Forwarded-For`.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { component, helloFor, openAnswer, ProtocolClient } from '../packages/server/test/protocol/client.ts'
import type { Row } from './row.ts'
import { sample, timed } from './sample.ts'
import { ADMIN_KEY, quantile, residentBytes, type Served, serve } from './served.ts'

const SENDERS = 20
const SIGN_INS_PER_SECOND = 500
const PHASE_MS = 8000
const READ_EVERY_MS = 20
const RUN_EVERY_MS = 100
const ENTRIES = 100_000
const UPLOADS = 20
const FUNCTIONS = 50_000
const ATTACKERS = 8
const ASK_EVERY_MS = 100
const HANG_UP_MS = 6000
const DEADLINE_MS = 15_000
const KEYS = 1000
const BYTES_PER_MIB = 1_048_576
const SETTINGS = {
  SCRIPTWARD_TRUST_PROXY: '127.0.0.1',
  SCRIPTWARD_API_RATES: '1',
  SCRIPTWARD_OBFUSCATION_DEADLINE_MS: String(DEADLINE_MS),
}

type Customer = { readonly token: string; readonly project: string }
/** A well-behaved account that owns a script and users. */
type Shop = Customer & { readonly script: string; readonly keys: string[] }
type Scene = { readonly served: Served; readonly shop: Shop }

export async function bench(): Promise<Row[]> {
  const sqlite = await onService('SQLite', SETTINGS)
  const { url, stop } = await startPostgres()
  try {
    return [...sqlite, ...(await onService('PostgreSQL', { ...SETTINGS, SCRIPTWARD_DATABASE_URL: url }))]
  } finally {
    await stop()
  }
}

async function onService(engine: string, settings: Record<string, string>): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const served = await serve(folder, settings)
  try {
    const rows = await measure({ served, shop: await openShop(served) })
    return rows.map((row) => ({ ...row, name: `${engine}: ${row.name}` }))
  } finally {
    await served.stop()
    rmSync(folder, { recursive: true })
  }
}

async function measure(scene: Scene): Promise<Row[]> {
  const { pid } = scene.served
  const idle = residentBytes(pid)
  const rows = [
    ...(await measureHugeBodies(scene)),
    ...(await measureImport(scene)),
    ...(await measureRefusedImports(scene)),
    ...(await measureUploads(scene)),
    ...(await measureFunctions(scene)),
    ...(await measureSignIns(scene)),
  ]
  const grown = (residentBytes(pid, 'VmHWM') - idle) / BYTES_PER_MIB
  return [...rows, { name: 'memory growth under all floods', value: grown, unit: 'MiB', limit: '<= 400' }]
}

async function measureHugeBodies({ served, shop }: Scene): Promise<Row[]> {
  const read = () => callApi(served, shop, `/users/${shop.keys[0]}`)
  const calm = await sample(read, READ_EVERY_MS, wait(PHASE_MS))
  const sender = fork(new URL('body-sender.ts', import.meta.url), [
    `${served.url}/client/v1/check`,
    String(SENDERS),
    String(PHASE_MS),
  ])
  await once(sender, 'message')
  sender.send('start')
  const flood = once(sender, 'message') as Promise<[number[]]>
  const flooded = await sample(read, READ_EVERY_MS, flood)
  const [statuses] = await flood
  const bound = 2 * quantile(calm, 0.99) + 50
  const refused = statuses.filter((status) => status === 429).length / statuses.length
  return [
    {
      name: `a read while ${SENDERS} clients send huge bodies, p99`,
      value: quantile(flooded, 0.99),
      unit: 'ms',
      limit: `<= ${bound.toFixed(0)}`,
      note: `calm ${quantile(calm, 0.99).toFixed(1)} ms`,
    },
    {
      name: 'huge bodies answered with 429',
      value: refused,
      unit: 'of all',
      note: `${statuses.length} sent`,
    },
  ]
}

async function measureImport(scene: Scene): Promise<Row[]> {
  const customer = await createCustomer(scene.served, 0)
  const run = executionsOf(scene)
  const calm = await sample(run, RUN_EVERY_MS, wait(PHASE_MS / 2))
  const started = performance.now()
  const imported = importUsers(scene.served, customer).then((status) => {
    if (status !== 200) throw new Error(`the import was answered with ${status}`)
    return performance.now() - started
  })
  const beside = await sample(run, RUN_EVERY_MS, imported)
  return [
    {
      ...executionRow(
        `an execution during an import of ${ENTRIES.toLocaleString('en')} entries`,
        beside,
        calm,
      ),
      limit: '<= 300',
    },
    { name: 'the import itself', value: (await imported) / 1000, unit: 's' },
  ]
}

async function measureRefusedImports(scene: Scene): Promise<Row[]> {
  const free = await createCustomer(scene.served, 1)
  const run = executionsOf(scene)
  const three = Promise.all([1, 2, 3].map(() => importUsers(scene.served, free)))
  const beside = await sample(run, RUN_EVERY_MS, three)
  if ((await three).includes(200)) throw new Error('an import beyond its tier was accepted')
  return [{ ...executionRow('an execution during three rejected imports', beside, []), limit: '<= 300' }]
}

/**
 * One account uploads sources that can't be built, and disconnects. Meanwhile, another account uploads a
 * one-line script.
 */
async function measureUploads({ served }: Scene): Promise<Row[]> {
  const [flooder, other] = [await createCustomer(served, 1), await createCustomer(served, 0)]
  const calm = await timed(() => upload(served, other, 'print("calm")'))
  const heavy = Array.from({ length: FUNCTIONS }, (_, i) => `local function f${i}(a) return a + ${i} end`)
  const source = ['do', ...heavy.map((line) => `do ${line} end`), 'end'].join('\n')
  const signal = AbortSignal.timeout(HANG_UP_MS)
  const flood = Promise.allSettled(
    Array.from({ length: UPLOADS }, () => upload(served, flooder, source, signal)),
  )
  await wait(HANG_UP_MS / 2)
  const waited = await timed(() => upload(served, other, 'print("flooded")'))
  await flood
  return [
    {
      name: 'a one-line upload while another account floods the server',
      value: waited / 1000,
      unit: 's',
      limit: `<= ${(2 * DEADLINE_MS) / 1000}`,
      note: `calm ${(calm / 1000).toFixed(2)} s`,
    },
  ]
}

function executionRow(name: string, beside: readonly number[], calm: readonly number[]): Row {
  const note = [
    `${beside.length} executions`,
    calm.length > 0 ? `calm ${quantile(calm, 0.99).toFixed(0)} ms` : '',
  ]
  return {
    name: `${name}, p99`,
    value: quantile(beside, 0.99),
    unit: 'ms',
    note: note.filter(Boolean).join(', '),
  }
}

/** Eight accounts test and save server functions that never return, as fast as the server accepts them. */
async function measureFunctions({ served, shop }: Scene): Promise<Row[]> {
  const price = await storeFunction(served, shop, 'return function(run, amount) return 10 * amount end')
  const call = () => tryFunction(served, shop, price).then(refuseOther)
  await call()
  const calm = await sample(call, ASK_EVERY_MS, wait(PHASE_MS))
  const attackers = await Promise.all(
    Array.from({ length: ATTACKERS }, async () => {
      const customer = await createCustomer(served, 0)
      const loop = 'return function() while true do end end'
      return { customer, at: await storeFunction(served, customer, loop) }
    }),
  )
  const until = performance.now() + PHASE_MS
  let stopped = 0
  const flood = Promise.all(
    attackers.map(async ({ customer, at }) => {
      while (performance.now() < until) {
        const tries = [1, 2, 3, 4].map(() => tryFunction(served, customer, at))
        const put = putFunction(served, customer, at, 'while true do end')
        stopped += (await Promise.all([...tries, put])).filter((status) => status !== 429).length
        await wait(ASK_EVERY_MS)
      }
    }),
  )
  const beside = await sample(call, ASK_EVERY_MS, flood)
  return [
    {
      name: `a server function while ${ATTACKERS} accounts run endless functions, p99`,
      value: quantile(beside, 0.99),
      unit: 'ms',
      limit: `<= ${(2 * quantile(calm, 0.99) + 50).toFixed(0)}`,
      note: `calm ${quantile(calm, 0.99).toFixed(1)} ms; ${stopped} of theirs were not rejected`,
    },
  ]
}

async function storeFunction(served: Served, customer: Customer, source: string): Promise<string> {
  const { script_id } = await post(served, customer.token, `/projects/${customer.project}/scripts/new`, {
    name: 'asks',
    script: 'return 1',
  })
  const at = `/v1/scripts/${script_id}/functions/price`
  const status = await putFunction(served, customer, at, source)
  if (status !== 200) throw new Error(`a function was answered with ${status}`)
  return at
}

async function putFunction(served: Served, { token }: Customer, at: string, source: string): Promise<number> {
  const headers = { token, 'content-type': 'application/json' }
  const response = await fetch(served.url + at, { method: 'PUT', headers, body: JSON.stringify({ source }) })
  await response.text()
  return response.status
}

async function tryFunction(served: Served, { token }: Customer, at: string): Promise<number> {
  const response = await send(served, token, `${at}/try`, { values: [2] })
  await response.text()
  return response.status
}

function refuseOther(status: number): void {
  if (status !== 200) throw new Error(`an honest call was answered with ${status}`)
}

/**
 * Each login attempt costs the server one password hash, as long as the server has capacity to compute
 * hashes.
 */
async function measureSignIns({ served, shop }: Scene): Promise<Row[]> {
  const read = () => callApi(served, shop, `/users/${shop.keys[0]}`)
  const calm = await sample(read, READ_EVERY_MS, wait(PHASE_MS))
  const sender = fork(new URL('sign-in-sender.ts', import.meta.url), [
    `${served.url}/v1/auth/password`,
    String(SIGN_INS_PER_SECOND),
    String(PHASE_MS),
  ])
  await once(sender, 'message')
  sender.send('start')
  const attempts = once(sender, 'message') as Promise<[number[]]>
  const beside = await sample(read, READ_EVERY_MS, attempts)
  const [statuses] = await attempts
  const tried = statuses.filter((status) => status === 403).length
  return [
    {
      name: `a read during ${SIGN_INS_PER_SECOND} sign-in attempts a second, p99`,
      value: quantile(beside, 0.99),
      unit: 'ms',
      limit: `<= ${(2 * quantile(calm, 0.99)).toFixed(1)}`,
      note: `calm ${quantile(calm, 0.99).toFixed(1)} ms; ${tried} of ${statuses.length} were compared with a hash`,
    },
  ]
}

/** Varies the key, device and IP address, so that no per-client limit applies. */
function executionsOf({ served, shop }: Scene): () => Promise<void> {
  const client = new ProtocolClient(served.url)
  let turn = 0
  return async () => {
    turn = (turn + 1) % KEYS
    const key = shop.keys[turn] ?? ''
    const from = { 'x-forwarded-for': `198.51.${turn >> 8}.${turn & 255}` }
    const boot = JSON.parse((await client.get(`/boot?script=${shop.script}`, from)).text)
    const hello = helloFor(shop.script, { key, fp: { machine_id: component(key) } })
    const { body, keys } = await client.request(boot, hello)
    const { reply } = openAnswer(keys, await client.post('/exec', body, from))
    if (!reply.ok) throw new Error(`an honest execution was denied: ${JSON.stringify(reply)}`)
  }
}

async function openShop(served: Served): Promise<Shop> {
  const customer = await createCustomer(served, 0)
  const at = `/projects/${customer.project}`
  const { script_id } = await post(served, customer.token, `${at}/scripts/new`, {
    name: 'shop',
    script: 'return 1',
  })
  const { user_keys } = await post(served, customer.token, `${at}/users/generate`, { amount: KEYS })
  return { ...customer, script: String(script_id), keys: user_keys as string[] }
}

async function createCustomer(served: Served, tier: number): Promise<Customer> {
  const email = `${Math.round(performance.now() * 1000)}@example.com`
  const { api_key } = await post(served, ADMIN_KEY, '/v1/admin/customers', { email, tier })
  const token = String(api_key)
  const { project_id } = await post(served, token, '/v1/projects/new', { name: 'project' })
  return { token, project: String(project_id) }
}

async function importUsers(served: Served, { token, project }: Customer): Promise<number> {
  const users = Array.from({ length: ENTRIES }, (_, i) => ({ chat_id: `${i}`, note: `moved ${i}` }))
  const response = await send(served, token, `/projects/${project}/users/import`, { users })
  await response.text()
  return response.status
}

async function upload(
  served: Served,
  customer: Customer,
  script: string,
  signal?: AbortSignal,
): Promise<void> {
  const at = `/projects/${customer.project}/scripts/new`
  const response = await send(served, customer.token, at, { name: 'script', script }, signal)
  await response.text()
}

async function callApi(served: Served, { token }: Customer, at: string): Promise<void> {
  const response = await fetch(served.url + at, { headers: { token } })
  await response.text()
  if (response.status !== 200) throw new Error(`${at} was answered with ${response.status}`)
}

async function post(
  served: Served,
  token: string,
  at: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await send(served, token, at, body)
  const text = await response.text()
  if (response.status !== 200)
    throw new Error(`${at} was answered with ${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text) as Record<string, unknown>
}

function send(
  served: Served,
  token: string,
  at: string,
  ...[body, signal]: readonly [body: object, signal?: AbortSignal]
): Promise<Response> {
  const headers = { token, 'content-type': 'application/json' }
  return fetch(served.url + at, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: signal ?? null,
  })
}
