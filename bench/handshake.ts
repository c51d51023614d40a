/**
 * What the cryptography of one execution costs: on the client, in each Lua, the handshake, the opening of a 100 KB
 * script and one heartbeat; on the server the whole of its part of an execution. Lua measures itself with os.clock, so no process start is counted.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { compressSync } from 'lz4-napi'
import { beatAad, beatKeys, nextBeatKey } from '../packages/client/src/live.ts'
import { denial } from '../packages/client/src/messages.ts'
import {
  bootEphemeral,
  checkBootId,
  clientHandshake,
  formatExec,
  makeBootId,
  open,
  parseExec,
  type StaticKey,
  seal,
  sealPayload,
  sealReply,
  serverHandshake,
  staticKey,
  toB64u,
  x25519Pair,
} from '../packages/client/src/wire.ts'
import { FAST_LUAU, type LuaRuntime, luaString, RUNTIMES, withCore } from '../packages/client/test/run-lua.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'

const ROUNDS = 11
const SCRIPT_BYTES = 102_400
const HELLO_BYTES = 500
const EXEC = 'AAECAwQFBgcICQoLDA0ODw'
const MASTER = Buffer.alloc(32, 9)
const LIMITS: Readonly<Record<string, string>> = { 'lua5.1': '< 100', luajit: '< 20' }
const HEARTBEAT = readFileSync(new URL('../packages/client/lua/heartbeat.lua', import.meta.url), 'utf8')

export async function bench(): Promise<Row[]> {
  const rows: Row[] = []
  for (const runtime of RUNTIMES) {
    if (!runtime.missing) rows.push(...(await benchClient(runtime.name === 'luau' ? FAST_LUAU : runtime)))
  }
  return [...rows, ...benchServer()]
}

async function benchClient(runtime: LuaRuntime): Promise<Row[]> {
  const output = await runtime.run(withCore(clientText()))
  const series = new Map(output.trim().split('\n').map(readSeries))
  const row = (name: string, part: string, limit?: string): Row => {
    const times = series.get(part) ?? []
    const note = `first ${(times[0] ?? 0).toFixed(2)}, least ${Math.min(...times).toFixed(2)}`
    const figure = { name: `${runtime.name}: ${name}`, value: median(times), unit: 'ms', note }
    return limit ? { ...figure, limit } : figure
  }
  return [
    row('handshake (3 X25519, keys, seal, open)', 'handshake', LIMITS[runtime.name]),
    row('open a 100 KB script, packed with LZ4', 'packed'),
    row('open a 100 KB script, not packed', 'plain'),
    row('one heartbeat', 'beat', runtime.name === 'lua5.1' ? '<= 10' : undefined),
  ]
}

function readSeries(line: string): [string, number[]] {
  const [name = '', ...times] = line.split(' ')
  return [name, times.map(Number)]
}

function benchServer(): Row[] {
  const fixed = staticKey(Buffer.alloc(32, 1))
  const bodies = Array.from({ length: 200 }, (_, i) => execBody(fixed, i))
  const payload = pack(script())
  const times = bodies.map((body) => {
    const start = process.cpuUsage()
    serve(fixed, body, payload)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  const note = `least ${Math.min(...times).toFixed(2)}`
  return [
    {
      name: 'server: cryptography of one execution, 100 KB',
      value: median(times),
      unit: 'ms',
      limit: '<= 1',
      note,
    },
  ]
}

/** All that the server computes between the body and the answer, except its decision. */
function serve(fixed: StaticKey, body: string, payload: Buffer): string {
  const request = parseExec(body)
  if (typeof request === 'string') throw new Error(`the bench wrote a bad ${request}`)
  checkBootId(MASTER, request.boot, 0)
  const keys = serverHandshake(fixed, bootEphemeral(MASTER, request.boot), request.boot, request.ep)
  if (!keys || !open(keys.c2s, 0, keys.h, request.box)) throw new Error('the bench wrote a bad box')
  const box = sealPayload(keys.prk, EXEC, 0, payload)
  return sealReply(keys, denial('bad_request', { details: { filler: 'x'.repeat(600) } }), box)
}

function execBody(fixed: StaticKey, i: number): string {
  const nonce = createHash('sha256').update(`boot ${i}`).digest()
  const boot = makeBootId(MASTER, { nonce, scriptId: 'demo', expires: 1 })
  const own = x25519Pair(nonce)
  const ek = bootEphemeral(MASTER, boot).publicKey
  const keys = clientHandshake({ kid: fixed.kid, staticPublic: fixed.publicKey, boot, ek }, own)
  if (!keys) throw new Error('the bench chose a bad point')
  return formatExec({
    kid: fixed.kid,
    boot,
    ep: own.publicKey,
    box: seal(keys.c2s, 0, keys.h, 'h'.repeat(HELLO_BYTES)),
  })
}

/** The client's own work in the order of the protocol; the other end's boxes are sealed here beforehand. */
function clientText(): string {
  const key = Buffer.alloc(32, 7)
  const aad = Buffer.from(`lp1 payload${EXEC}`)
  const packed = toB64u(seal(key, 0, aad, pack(script())))
  const plain = toB64u(seal(key, 0, aad, script()))
  return `
local key, aad, static, ek = ('\\7'):rep(32), 'lp1 payload${EXEC}', ${luaString(staticKey(key).publicKey)},
  ${luaString(x25519Pair(Buffer.alloc(32, 8)).publicKey)}
local reply = cipher.seal(key, 0, aad, ('r'):rep(768))
local function series(name, run)
  local times = {}
  for i = 1, ${ROUNDS} do
    local start = os.clock()
    run(i)
    times[i] = ('%.3f'):format((os.clock() - start) * 1000)
  end
  print(name .. ' ' .. table.concat(times, ' '))
end
series('handshake', function(i)
  local secret = hash.sha256('lp1 eph' .. i)
  local ep = curve.x25519(secret, curve.base)
  local es, ee = curve.x25519(secret, static), curve.x25519(secret, ek)
  local h = hash.sha256('LP1_X25519_ChaChaPoly_SHA256kidd' .. ('b'):rep(40) .. ek .. ep)
  local keys = hash.expand(hash.hmac(h, es .. ee), 'lp1 handshake', 64)
  cipher.seal(keys:sub(1, 32), 0, h, ('h'):rep(${HELLO_BYTES}))
  assert(cipher.open(key, 0, aad, reply))
  hash.expand(key, 'lp1 session' .. key, 128)
end)
local packed, plain = '${packed}', '${plain}'
series('packed', function()
  assert(lz4.decode(cipher.open(key, 0, aad, base64.decode(packed)), ${SCRIPT_BYTES}))
end)
series('plain', function()
  assert(cipher.open(key, 0, aad, base64.decode(plain)))
end)
local heartbeat = (function(...) ${HEARTBEAT} end)(hash, cipher, base64, json)
local replies, count = { ${beatReplies(key)} }, 0
local pulse = heartbeat('${EXEC}', key, function()
  count = count + 1
  return 200, replies[count]
end)
series('beat', function(i)
  assert(pulse.beat(i).ok)
end)`
}

/** The answers that a server gives to as many beats as there are rounds. */
function beatReplies(key: Buffer): string {
  let state = key
  const replies = Array.from({ length: ROUNDS }, (_, i) => {
    const r = Buffer.alloc(16, i)
    const reply = {
      ok: true,
      n: i + 1,
      r: toB64u(r),
      st: 1_790_000_000_000,
      seconds_left: 86_400,
      next: 30_000,
    }
    const box = seal(beatKeys(state).s2c, 0, beatAad(EXEC, i + 1), JSON.stringify(reply))
    state = nextBeatKey(state, r)
    return `'lp1.${toB64u(box)}'`
  })
  return replies.join(', ')
}

/** Source that packs about as well as real scripts do: four to one. */
function script(): Buffer {
  const lines = Array.from({ length: 2000 }, (_, i) => {
    const word = createHash('sha256').update(`word ${i}`).digest('hex').slice(0, 8)
    return `local function f${i}(a, b)\n  if a > ${i % 97} then return "${word}" end\n  return a * b\nend\n`
  })
  return Buffer.from(lines.join('').slice(0, SCRIPT_BYTES))
}

/** The bare block: lz4-napi puts the size in front, in 4 bytes. */
function pack(text: Buffer): Buffer {
  return compressSync(text).subarray(4)
}
