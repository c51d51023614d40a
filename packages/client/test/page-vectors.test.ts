// Checks the vectors in docs/client-protocol.md, which are for authors of other clients, against the output
// of the protocol code and against vectors.json, which is used to test both sides of the protocol.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { uncompressSync } from 'lz4-napi'
import { expect, test } from 'vitest'
import { lockKey, lockPad, sealLease } from '../src/leases.ts'
import {
  beatAad,
  beatKeys,
  END_COUNTER,
  endAad,
  formatNumbered,
  nextBeatKey,
  sealFrame,
  wsAad,
  wsKeys,
} from '../src/live.ts'
import { kick } from '../src/live-messages.ts'
import type { UnsignedBootRecord } from '../src/messages.ts'
import { formatRawReply } from '../src/raw-reply.ts'
import {
  clientHandshake,
  ed25519Pair,
  formatExec,
  fromB64u,
  seal,
  sealPayload,
  sessionKeys,
  signBootRecord,
  toB64u,
  x25519Pair,
} from '../src/wire.ts'
import vectors from './vectors.json' with { type: 'json' }

const PAGE = new URL('../../../docs/client-protocol.md', import.meta.url)
const BEAT_REPLY = `{"ok":true,"n":1,"r":"${toB64u(bytes(vectors.r1))}","st":1790000000000,"seconds_left":null,"next":30000}`
const REPLY = `{"ok":true,"exec":"${vectors.exec}","gn":"${toB64u(bytes(vectors.gn))}"}`
const CALL = '{"t":"call","id":"1","epoch":1,"a":["price","gold",3]}'
const ANSWER = '{"t":"answer","id":"1","value":30}'
const PING = '{"t":"ping","n":1,"st":1790000000000}'

const DENIAL =
  '{"ok":false,"code":10,"reason":"invalid_key","message":"This key is not valid for this script. Check script_key.","_":""}'
const KICK = `{"ok":false,"n":1,"kick":${JSON.stringify(kick('token_reuse'))}}`
const SIGNING_SEED = Buffer.alloc(32, 0x88)
const LZ4 = { text: 'ward ward ward ward ward ward, ward', block: '5f7761726420050005602c2077617264' }
const BOOT: UnsignedBootRecord = {
  v: 1,
  kid: vectors.kid,
  boot: toB64u(bytes(vectors.boot_id)),
  ek: toB64u(bytes(vectors.ek)),
  seed: toB64u(Buffer.alloc(32, 0x99)),
  st: 1_790_000_000_000,
  sv: 1,
  minlb: 1,
  pv: [1],
  urls: ['https://ward.example/client/v1'],
}

test('the LZ4 block on the page is unpacked correctly by the library that packs payloads', () => {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(LZ4.text.length)
  expect(uncompressSync(Buffer.concat([size, Buffer.from(LZ4.block, 'hex')])).toString()).toBe(LZ4.text)
})

test('the page for authors of other clients lists the vectors that both ends are tested with', () => {
  const block = /## Vectors[\s\S]*?```\n([\s\S]*?)\n```/.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? ''
  expect(block.split('\n')).toEqual(lines())
})

test('the vectors can be derived from the secrets that they begin with', () => {
  const { own, server, exec } = parties()
  const keys = clientHandshake(server, own)
  if (!keys) throw new Error('the vectors have a bad point')
  const session = sessionKeys(keys.prk, bytes(vectors.gn))
  const made = {
    h: keys.h,
    prk: keys.prk,
    k_c2s: keys.c2s,
    k_s2c: keys.s2c,
    k_payload: session.payload,
    k_beat: session.beat,
    k_ws: session.ws,
    hello_box: seal(keys.c2s, 0, keys.h, vectors.hello),
    payload_box: sealPayload(session.payload, exec, 0, Buffer.from(vectors.payload)),
    beat1_box: seal(beatKeys(session.beat).c2s, 0, beatAad(exec, 1), vectors.beat1),
    bk1: nextBeatKey(session.beat, bytes(vectors.r1)),
    ws_c2s_epoch1: wsKeys(session.ws, 1).c2s,
    ws_frame1: seal(wsKeys(session.ws, 1).c2s, 1, wsAad('c', exec), vectors.ws1),
    k_lease: session.lease,
    lock_key3: lockKey(bytes(vectors.service_key), 3),
    pad3: lockPad(bytes(vectors.lock_key3), 16),
    lease3: sealLease({ exec, leaseKey: session.lease, r: bytes(vectors.r1) }, 3, bytes(vectors.lock_key3)),
  }
  for (const [name, value] of Object.entries(made))
    expect([name, value.toString('hex')]).toEqual([name, vectors[name as keyof typeof made]])
})

function lines(): string[] {
  return [...secrets(), ...texts()].map(([name, value]) => `${name.padEnd(20)}  ${value}`)
}

/** Keys and encrypted messages, in the order a client computes them. */
function secrets(): [string, string][] {
  const v = vectors
  return [
    ['static private', v.Ss],
    ['static public', v.Sp],
    ['kid', v.kid],
    ['E', v.Es],
    ['ek', v.ek],
    ['boot id', v.boot_id],
    ['e', v.ce],
    ['ep', v.cp],
    ['es', v.es],
    ['ee', v.ee],
    ['h', v.h],
    ['prk', v.prk],
    ['c2s', v.k_c2s],
    ['s2c', v.k_s2c],
    ['hello', `'${v.hello}'`],
    ['hello box', v.hello_box],
    ['gn', v.gn],
    ['payload key', v.k_payload],
    ['exec', `'${v.exec}'`],
    ['payload', `'${v.payload}'`],
    ['payload box', v.payload_box],
    ['the same as chunk 1', `${hex(sealPayload(bytes(v.k_payload), v.exec, 1, Buffer.from(v.payload)))}`],
    ['LZ4 block', `${LZ4.block}, of '${LZ4.text}'`],
    ['bk_0', v.k_beat],
    ['beat 1', `'${v.beat1}'`],
    ['beat 1 box', v.beat1_box],
    ['r', v.r1],
    ['bk_1', v.bk1],
    ['ws key', v.k_ws],
    ['ws c2s, epoch 1', v.ws_c2s_epoch1],
    ['first frame', `'${v.ws1}', counter 1`],
    ['first frame box', v.ws_frame1],
    ['lease key', v.k_lease],
    ['service key', v.service_key],
    ['lock key 3', v.lock_key3],
    ['pad of lock 3', `${v.pad3}, 16 bytes of it`],
    ['lease of lock 3', `${v.lease3}, counter 3, with r`],
  ]
}

/** Complete messages as transmitted. */
function texts(): [string, string][] {
  const { own, server, exec } = parties()
  const [state, next, ws] = [bytes(vectors.k_beat), bytes(vectors.bk1), wsKeys(bytes(vectors.k_ws), 1)]
  const box = bytes(vectors.hello_box)
  const exchange = { kid: vectors.kid, boot: server.boot, ep: own.publicKey, box }
  const reply = toB64u(seal(bytes(vectors.k_s2c), 0, bytes(vectors.h), REPLY))
  const answer = toB64u(seal(beatKeys(state).s2c, 0, beatAad(exec, 1), BEAT_REPLY))
  const ending = seal(beatKeys(next).c2s, END_COUNTER, endAad(exec, 2), '{"up":2}')
  return [
    ['body of /exec', `'${formatExec(exchange)}'`],
    ['reply', `'${REPLY}'`],
    ['answer of /exec', `'lp1.${reply}.${toB64u(bytes(vectors.payload_box))}'`],
    [
      'the same as bytes',
      hex(formatRawReply(fromB64u(reply) ?? Buffer.alloc(0), bytes(vectors.payload_box))),
    ],
    ['denial', `'${DENIAL}'`],
    ['answer, denied', `'lp1.${toB64u(seal(bytes(vectors.k_s2c), 0, bytes(vectors.h), DENIAL))}'`],
    ['body of /beat', `'${formatNumbered({ exec, n: 1, box: bytes(vectors.beat1_box) })}'`],
    ['reply to beat 1', `'${BEAT_REPLY}'`],
    ['answer of /beat', `'lp1.${answer}'`],
    ['kick of a copy', `'${KICK}'`],
    ['answer, kicked', `'lp1.${toB64u(seal(beatKeys(state).s2c, 2, beatAad(exec, 1), KICK))}'`],
    ['body of /end, n 2', `'${formatNumbered({ exec, n: 2, box: ending })}', of '{"up":2}'`],
    ['client, first text', `'${formatNumbered({ exec, n: 1, box: bytes(vectors.ws_frame1) })}'`],
    [
      'client, second text',
      `'${sealFrame(ws.c2s, wsAad('c', exec), 2, '{"t":"pong","n":1}')}', of '{"t":"pong","n":1}'`,
    ],
    ['server, first text', `'${sealFrame(ws.s2c, wsAad('s', exec), 1, PING)}', of '${PING}'`],
    ['client, third text', `'${sealFrame(ws.c2s, wsAad('c', exec), 3, CALL)}', of '${CALL}'`],
    ['server, second text', `'${sealFrame(ws.s2c, wsAad('s', exec), 2, ANSWER)}', of '${ANSWER}'`],
    ['Ed25519 seed', hex(SIGNING_SEED)],
    ['Ed25519 public', hex(ed25519Pair(SIGNING_SEED).publicKey)],
    ['answer of /boot', `'${JSON.stringify(signBootRecord(ed25519Pair(SIGNING_SEED).privateKey, BOOT))}'`],
    ['machine_id', `'${component('prj_1', 'machine_id', 'abc')}', of 'abc' in the project 'prj_1'`],
  ]
}

function parties() {
  const own = x25519Pair(bytes(vectors.ce))
  const boot = bytes(vectors.boot_id)
  const server = { kid: vectors.kid, staticPublic: bytes(vectors.Sp), boot, ek: bytes(vectors.ek) }
  return { own, server, exec: vectors.exec }
}

function component(projectId: string, name: string, value: string): string {
  const text = `lp1 fp\0${projectId}\0${name}\0${value}`
  return toB64u(createHash('sha256').update(text).digest().subarray(0, 16))
}

function hex(value: Uint8Array): string {
  return Buffer.from(value).toString('hex')
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}
