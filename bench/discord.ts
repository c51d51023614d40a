/**
 * Measures the cost of a Discord bot in two ways. The first is the server's CPU time for a run that requires
 * membership, compared with one that doesn't; Discord's response is cached. The second is the time to the
 * first response when buttons are pressed 100 times a second. This process simulates Discord.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { APPLICATION, FakeDiscord, SERVER } from '../packages/server/test/chat/fake-discord.ts'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { checkOne, cost, post, prepare, type Server, startServer } from './execution.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'

/** The limit is tight, so there are more rounds than for other ratios. */
const ROUNDS = 15
const PRESSES = 1000
const EVERY_MS = 10
const BUTTONS = ['mykey', 'script', 'reset', 'denied']

export async function bench(): Promise<Row[]> {
  const discord = await new FakeDiscord().open()
  const { url, stop } = await startPostgres()
  try {
    return [
      ...(await withServer('SQLite', discord)),
      ...(await withServer('PostgreSQL', discord, { BENCH_DATABASE_URL: url })),
    ]
  } finally {
    await stop()
    await discord.close()
  }
}

async function withServer(engine: string, discord: FakeDiscord, env: NodeJS.ProcessEnv = {}): Promise<Row[]> {
  const bot = { url: discord.url, public_key: discord.publicKey, token: discord.token, server_id: SERVER }
  const server = await startServer('service', 0, { ...env, BENCH_DISCORD: JSON.stringify(bot) })
  for (const id of server.accounts) discord.server.members.set(id, { roles: [] })
  try {
    return [await measureRuns(engine, server), ...(await measurePresses(engine, server, discord))]
  } finally {
    server.end()
  }
}

/** The first rounds are not counted, because hot code is compiled in them. */
async function measureRuns(engine: string, server: Server): Promise<Row> {
  const ways = [{ ...server, scriptId: server.memberScriptId, key: server.memberKey }, server] as const
  for (const each of ways) await checkOne(each)
  const [member, plain]: [number[], number[]] = [[], []]
  for (let round = -3; round < ROUNDS; round++) {
    const costs = [await costOf(ways[0]), await costOf(ways[1])] as const
    if (round < 0) continue
    member.push(costs[0])
    plain.push(costs[1])
  }
  return {
    name: `${engine}: one execution that requires a known member, relative to one that does not`,
    value: median(member) / median(plain),
    unit: 'x',
    limit: '<= 1.05',
    note: `medians of ${ROUNDS} rounds in turns, ${median(member).toFixed(2)} and ${median(plain).toFixed(2)} ms`,
  }
}

async function costOf(server: Server): Promise<number> {
  const requests = await prepare(server)
  return cost(server, (i) => post(server.url, requests[i]?.body ?? ''))
}

/** Sends each press on schedule, even if earlier presses have no response yet. */
async function measurePresses(engine: string, server: Server, discord: FakeDiscord): Promise<Row[]> {
  const begin = performance.now()
  const presses = Array.from({ length: PRESSES }, async (_, i) => {
    const due = begin + i * EVERY_MS
    await wait(Math.max(0, due - performance.now()))
    await press(server, discord, i)
    return performance.now() - due
  })
  const times = (await Promise.all(presses)).sort((a, b) => a - b)
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0
  const name = `${engine}: button clicks, 100 a second for 10 s, first response`
  return [
    { name: `${name}, p50`, value: at(0.5), unit: 'ms' },
    { name: `${name}, p99`, value: at(0.99), unit: 'ms' },
    { name: `${name}, slowest`, value: at(1), unit: 'ms', limit: '<= 3000' },
  ]
}

async function press({ url, accounts, memberProjectId }: Server, discord: FakeDiscord, i: number) {
  const id = accounts[i % accounts.length]
  const body = JSON.stringify({
    ...{ type: 3, id: discord.newId(), application_id: APPLICATION, guild_id: SERVER, channel_id: SERVER },
    ...{ token: `token-${i}`, version: 1, locale: 'en-US', message: { id: discord.newId() } },
    member: { user: { id, username: 'jo' }, roles: [] },
    data: { custom_id: BUTTONS[Math.floor(i / accounts.length) % BUTTONS.length], component_type: 2 },
  })
  const response = await fetch(`${url}/hooks/discord/${memberProjectId}`, {
    method: 'POST',
    body,
    headers: discord.signed(body),
  })
  const answer = (await response.json()) as { type: number; data: { embeds?: unknown[] } }
  // A deferred response would be fast, but it wouldn't include the work that this benchmark measures.
  if (response.status !== 200 || answer.type !== 4 || !answer.data.embeds?.length)
    throw new Error(`a button click was answered with ${response.status}: ${JSON.stringify(answer)}`)
}
