// Tests the Node side of the protocol: golden vectors, framing, boot IDs and replies.
import { createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { beatAad, beatKeys, formatNumbered, nextBeatKey, parseNumbered, wsAad, wsKeys } from '../src/live.ts'
import { type BootRecord, denial, type UnsignedBootRecord } from '../src/messages.ts'
import {
  bootEphemeral,
  bootSignatureText,
  checkBootId,
  clientHandshake,
  ed25519Pair,
  formatExec,
  fromB64u,
  type HandshakeKeys,
  isBootForScript,
  isBootRecordSigned,
  makeBootId,
  open,
  openPayload,
  openReply,
  padReply,
  parseExec,
  SUITE,
  seal,
  sealPayload,
  sealReply,
  serverHandshake,
  sessionKeys,
  signBootRecord,
  staticKey,
  toB64u,
  x25519Pair,
} from '../src/wire.ts'
import vectors from './vectors.json' with { type: 'json' }

const BOOT = Buffer.from(vectors.boot_id, 'hex')
const MASTER = Buffer.alloc(32, 9)
const server = staticKey(Buffer.from(vectors.Ss, 'hex'))
const ephemeral = x25519Pair(Buffer.from(vectors.Es, 'hex'))
const client = x25519Pair(Buffer.from(vectors.ce, 'hex'))

describe('golden vectors', () => {
  const keys = serverKeys()

  it('fix the names and public halves of the keys', () => {
    expect(SUITE).toBe(vectors.suite)
    expect(server.kid).toBe(vectors.kid)
    expect([server, ephemeral, client].map(hexOfPublic)).toEqual([vectors.Sp, vectors.ek, vectors.cp])
  })

  it('fix the handshake, which is the same on both ends', () => {
    const { h, prk, c2s, s2c } = keys
    expect([h, prk, c2s, s2c].map(hex)).toEqual([vectors.h, vectors.prk, vectors.k_c2s, vectors.k_s2c])
    const other = { kid: server.kid, staticPublic: server.publicKey, boot: BOOT, ek: ephemeral.publicKey }
    expect(clientHandshake(other, client)).toEqual(keys)
    expect(hex(seal(c2s, 0, h, vectors.hello))).toBe(vectors.hello_box)
  })

  it('fix all keys and messages after a grant', () => {
    const session = sessionKeys(keys.prk, Buffer.from(vectors.gn, 'hex'))
    const expected = [vectors.k_payload, vectors.k_beat, vectors.k_ws, vectors.k_lease]
    expect([session.payload, session.beat, session.ws, session.lease].map(hex)).toEqual(expected)
    const box = sealPayload(session.payload, vectors.exec, 0, Buffer.from(vectors.payload))
    expect(hex(box)).toBe(vectors.payload_box)
    expect(openPayload(session.payload, vectors.exec, 0, box)?.toString()).toBe(vectors.payload)
    const beat = seal(beatKeys(session.beat).c2s, 0, beatAad(vectors.exec, 1), vectors.beat1)
    expect(hex(beat)).toBe(vectors.beat1_box)
    expect(hex(nextBeatKey(session.beat, Buffer.from(vectors.r1, 'hex')))).toBe(vectors.bk1)
    const frames = wsKeys(session.ws, 1).c2s
    expect(hex(frames)).toBe(vectors.ws_c2s_epoch1)
    expect(hex(seal(frames, 1, wsAad('c', vectors.exec), vectors.ws1))).toBe(vectors.ws_frame1)
  })
})

describe('base64url', () => {
  it('reads back every length it writes', () => {
    for (let length = 0; length < 70; length++) {
      const bytes = Buffer.alloc(length, length)
      expect(fromB64u(toB64u(bytes), length)).toEqual(bytes)
    }
  })

  it.each(['Q', 'QQ==', 'QR', 'QUJ', 'Q+==', '/w', 'Q Q', 'QQ\n', 'QUJDR', 'é', 'QU-_.'])(
    'rejects %j',
    (text) => {
      expect(fromB64u(text)).toBeUndefined()
    },
  )

  it('rejects any size other than the requested one', () => {
    expect(fromB64u('QUJD', 2)).toBeUndefined()
    expect(fromB64u('QUJD', 3)).toBeDefined()
  })
})

describe('an exec body', () => {
  const body = formatExec({ kid: server.kid, boot: BOOT, ep: client.publicKey, box: Buffer.alloc(40, 1) })

  it('is read as it was written', () => {
    expect(parseExec(body)).toEqual({
      kid: server.kid,
      boot: BOOT,
      ep: client.publicKey,
      box: Buffer.alloc(40, 1),
    })
  })

  it.each([
    ['unsupported_protocol', body.replace('lp1', 'lp2')],
    ['body', ''],
    ['body', 'lp1.'],
    ['body', `${body}.x`],
    ['body', body.replace('lp1', 'LP1')],
    ['kid', body.replace(server.kid, server.kid.toUpperCase())],
    ['kid', body.replace(server.kid, `${server.kid}0`)],
    ['boot', body.replace(toB64u(BOOT), toB64u(BOOT.subarray(1)))],
    ['ep', body.replace(toB64u(client.publicKey), toB64u(client.publicKey).slice(1))],
    ['ep', body.replace(toB64u(client.publicKey), toB64u(client.publicKey).replace(/.$/, '='))],
    ['box', body.replace(/[^.]+$/, 'AAAA')],
    ['box', body.replace(/[^.]+$/, 'A'.repeat(90_000))],
  ])('with an invalid %s is rejected with the name of the field', (member, text) => {
    expect(parseExec(text)).toBe(member)
  })
})

describe('a numbered body', () => {
  it('is read as it was written', () => {
    const beat = { exec: vectors.exec, n: 12, box: Buffer.alloc(20, 3) }
    expect(parseNumbered(formatNumbered(beat))).toEqual(beat)
  })

  it.each(['0', '-1', '01', '1.5', '', '1e3', '9'.repeat(16)])('rejects the number %j', (n) => {
    expect(['n', 'body']).toContain(parseNumbered(`lp1.${vectors.exec}.${n}.${toB64u(Buffer.alloc(20))}`))
  })
})

describe('a boot ID', () => {
  const boot = makeBootId(MASTER, { nonce: Buffer.alloc(12, 3), scriptId: 'demo', expires: 5000 })

  it('is valid for its script until it expires', () => {
    expect(checkBootId(MASTER, boot, 4999)).toEqual({ nonce: '03'.repeat(12), expires: 5000 })
    expect(checkBootId(MASTER, boot, 5000)).toBe('boot_expired')
    expect([isBootForScript(boot, 'demo'), isBootForScript(boot, 'other')]).toEqual([true, false])
  })

  it('is invalid if any byte was changed or another server made it', () => {
    for (let i = 0; i < boot.length; i++) {
      const copy = Buffer.from(boot)
      copy[i] = (copy[i] ?? 0) ^ 1
      expect(checkBootId(MASTER, copy, 0)).toBe('boot_invalid')
    }
    expect(checkBootId(Buffer.alloc(32), boot, 0)).toBe('boot_invalid')
    expect(checkBootId(MASTER, boot.subarray(1), 0)).toBe('boot_invalid')
  })

  it('always derives the same ephemeral pair, and a different one for another ID', () => {
    const other = makeBootId(MASTER, { nonce: Buffer.alloc(12, 4), scriptId: 'demo', expires: 5000 })
    expect(hexOfPublic(bootEphemeral(MASTER, boot))).toBe(hexOfPublic(bootEphemeral(MASTER, boot)))
    expect(hexOfPublic(bootEphemeral(MASTER, boot))).not.toBe(hexOfPublic(bootEphemeral(MASTER, other)))
  })
})

describe('a boot record', () => {
  const pair = ed25519Pair(Buffer.alloc(32, 7))
  const record = bootRecord()

  it('is signed over its text without the signature, in the order of its fields', () => {
    const signed = signBootRecord(pair.privateKey, record)
    const text = bootSignatureText(record).toString().replace('lp1 boot\0', '')
    expect(JSON.stringify(signed)).toBe(`${text.slice(0, -1)},"sig":"${signed.sig}"}`)
    expect(isBootRecordSigned(pair.publicKey, signed)).toBe(true)
    expect(createPublicKey(pair.privateKey).asymmetricKeyType).toBe('ed25519')
  })

  it('fails its signature if a field or the signature was changed', () => {
    const signed = signBootRecord(pair.privateKey, record)
    const changed: BootRecord[] = [
      { ...signed, sv: 8 },
      { ...signed, urls: ['http://127.0.0.1:2'] },
      { ...signed, sig: toB64u(Buffer.alloc(64)) },
      { ...signed, sig: 'no' },
    ]
    for (const one of changed) expect(isBootRecordSigned(pair.publicKey, one)).toBe(false)
  })
})

describe('a reply', () => {
  const keys = serverKeys()

  it('can be opened by the client with its payload', () => {
    const reply = denial('key_expired', { details: { expired_at: 5 } })
    expect(JSON.parse(openReply(keys, sealReply(keys, reply))?.json ?? '')).toMatchObject(reply)
    expect(openReply(keys, sealReply(keys, reply, Buffer.from('box')))?.payloadBox?.toString()).toBe('box')
  })

  it('is padded to whole blocks of 256 bytes, regardless of its content', () => {
    for (let length = 0; length < 300; length++) {
      const text = padReply(denial('blacklisted', { details: { blacklist_reason: 'é'.repeat(length) } }))
      expect(Buffer.byteLength(text) % 256).toBe(0)
      expect(JSON.parse(text).code).toBe(12)
    }
  })

  it('cannot be opened if it was modified, truncated or made by another server', () => {
    const body = sealReply(keys, denial('bad_request'))
    const others = [body.slice(0, -1), `${body}A`, body.replace('lp1', 'lp2'), `${body}.x.y`, 'lp1.', '']
    for (const text of others) expect(openReply(keys, text)).toBeUndefined()
    expect(openReply({ ...keys, s2c: keys.c2s }, body)).toBeUndefined()
    expect(open(keys.c2s, 0, keys.h, Buffer.from(body.slice(4), 'base64url'))).toBeUndefined()
  })
})

function serverKeys(): HandshakeKeys {
  const keys = serverHandshake(server, ephemeral, BOOT, client.publicKey)
  if (!keys) throw new Error('the golden handshake failed')
  return keys
}

function bootRecord(): UnsignedBootRecord {
  const ek = toB64u(ephemeral.publicKey)
  const numbers = { st: 1, sv: 7, minlb: 1, pv: [1] }
  return { v: 1, kid: server.kid, boot: toB64u(BOOT), ek, seed: ek, ...numbers, urls: ['http://127.0.0.1:1'] }
}

function hexOfPublic({ publicKey }: { publicKey: Buffer }): string {
  return hex(publicKey)
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex')
}
