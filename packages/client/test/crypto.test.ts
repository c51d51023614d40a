// Checks the Lua core against published vectors, the protocol's own (vectors.json) and node:crypto, on every
// runtime.
import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expand, open, seal, x25519, x25519Pair } from '../src/wire.ts'
import { evaluate, type LuaRuntime, luaString, RUNTIMES } from './run-lua.ts'
import vectors from './vectors.json' with { type: 'json' }

const LENGTHS = [0, 1, 15, 16, 17, 31, 55, 56, 63, 64, 65, 119, 127, 128, 129, 1000]
const COUNTERS = [0, 1, 2 ** 32 + 5, 2 ** 53 - 1]

/** Points of small order (RFC 7748 §6.1), which must never result in a shared secret. */
const SMALL_ORDER = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]

for (const runtime of RUNTIMES) {
  const title = runtime.missing ? `${runtime.name}: ${runtime.missing}` : runtime.name

  describe.skipIf(runtime.missing)(title, { concurrent: true }, () => {
    testPublishedVectors(runtime)
    testAgainstOpenSsl(runtime)
  })
}

function testPublishedVectors(runtime: LuaRuntime): void {
  it('hashes as FIPS 180-4, RFC 4231 and RFC 5869 specify', async () => {
    const cases = HASHES.map(([expression]) => `hex(${expression})`)
    expect(await evaluate(runtime, cases)).toEqual(HASHES.map(([, expected]) => expected))
  })

  it('multiplies points as RFC 7748 specifies', async () => {
    const cases = POINTS.map(([secret, point]) => `hex(curve.x25519(${hexed(secret)}, ${hexed(point)}))`)
    expect(await evaluate(runtime, cases)).toEqual(POINTS.map(([, , expected]) => expected))
  })

  it('encrypts and authenticates as RFC 8439 specifies', async () => {
    const cases = TAGS.map(([key, text]) => `hex(poly1305.tag(${hexed(key)}, ${hexed(text)}))`)
    const nonce = hexed('000000000000004a00000000')
    const stream = `hex(cipher.stream(${hexed(KEY_1)}, ${nonce}, 1, ${luaString(SUNSCREEN)}))`
    expect(await evaluate(runtime, [...cases, stream])).toEqual([
      ...TAGS.map(([, , tag]) => tag),
      SUNSCREEN_SEALED,
    ])
  })

  it('produces every golden vector of the protocol', async () => {
    expect(await evaluate(runtime, Object.values(GOLDEN))).toEqual(
      Object.keys(GOLDEN).map((name) => vectors[name as keyof typeof vectors]),
    )
  })

  it('returns no secret for points of small order', async () => {
    const cases = SMALL_ORDER.map((point) => `tostring(curve.x25519(${hexed(vectors.ce)}, ${hexed(point)}))`)
    expect(await evaluate(runtime, cases)).toEqual(SMALL_ORDER.map(() => 'nil'))
  })
}

function testAgainstOpenSsl(runtime: LuaRuntime): void {
  it('agrees with OpenSSL on arbitrary secrets and points', async () => {
    const pairs = Array.from(
      { length: 12 },
      (_, i) => [bytes(`secret ${i}`, 32), bytes(`point ${i}`, 32)] as const,
    )
    pairs.push(
      [Buffer.alloc(32, 255), Buffer.alloc(32, 255)],
      [Buffer.alloc(32), bytes('high bit', 32).fill(255, 31)],
    )
    const cases = pairs.map(
      ([secret, point]) => `hex(curve.x25519(${luaString(secret)}, ${luaString(point)}))`,
    )
    const expected = pairs.map(([secret, point]) =>
      x25519(x25519Pair(secret).privateKey, point)?.toString('hex'),
    )
    expect(await evaluate(runtime, cases)).toEqual(expected)
  })

  it('agrees with OpenSSL on hashes of every boundary length', async () => {
    const texts = LENGTHS.map((length) => bytes(`text ${length}`, length))
    const cases = texts.flatMap((text) => [
      `hex(hash.sha256(${luaString(text)}))`,
      `hex(hash.hmac(${luaString(text)}, ${luaString(text)}))`,
      `hex(hash.expand(${luaString(text)}, 'label', ${text.length + 1}))`,
    ])
    const expected = texts.flatMap((text) => [
      createHash('sha256').update(text).digest('hex'),
      createHmac('sha256', text).update(text).digest('hex'),
      expand(text, Buffer.from('label'), text.length + 1).toString('hex'),
    ])
    expect(await evaluate(runtime, cases)).toEqual(expected)
  })

  it('encrypts what OpenSSL can decrypt and vice versa, at every boundary length', async () => {
    const boxes = LENGTHS.map(sealedCase)
    const sealing = boxes.map((box) => `hex(cipher.seal(${box.arguments}, ${luaString(box.text)}))`)
    const opening = boxes.map((box) => `hex(cipher.open(${box.arguments}, ${luaString(box.sealed)}))`)
    expect(await evaluate(runtime, [...sealing, ...opening])).toEqual([
      ...boxes.map((box) => box.sealed.toString('hex')),
      ...boxes.map((box) => box.text.toString('hex')),
    ])
  })

  it('rejects a box with any modification', async () => {
    const cases = LENGTHS.flatMap((length) => changed(sealedCase(length)))
    const opened = await evaluate(runtime, cases)
    expect(opened).toEqual(cases.map(() => 'nil'))
  })
}

describe('the server', () => {
  it('returns no secret for points of small order', () => {
    const { privateKey } = x25519Pair(Buffer.from(vectors.ce, 'hex'))
    for (const point of SMALL_ORDER) expect(x25519(privateKey, Buffer.from(point, 'hex'))).toBeUndefined()
  })

  it('rejects a box with any modification', () => {
    const { key, counter, aad, sealed, text } = sealedCase(65)
    expect(open(key, counter, aad, sealed)).toEqual(text)
    for (let i = 0; i < sealed.length; i++) {
      const box = Buffer.from(sealed)
      box[i] = (box[i] ?? 0) ^ 1
      expect(open(key, counter, aad, box)).toBeUndefined()
    }
    expect(open(key, counter + 1, aad, sealed)).toBeUndefined()
    expect(open(key, counter, Buffer.concat([aad, aad]), sealed)).toBeUndefined()
    expect(open(key, counter, aad, sealed.subarray(0, 15))).toBeUndefined()
  })
})

/** Bytes that look random but are the same in every run. */
function bytes(name: string, length: number): Buffer {
  return createHash('shake256', { outputLength: Math.max(length, 1) })
    .update(name)
    .digest()
    .subarray(0, length)
}

function sealedCase(length: number, index = 0) {
  const [key, text] = [bytes(`key ${length}`, 32), bytes(`text ${length}`, length)]
  const counter = COUNTERS[(index + length) % COUNTERS.length] ?? 0
  const aad = bytes(`aad ${length}`, (length * 7) % 40)
  const lua = `${luaString(key)}, ${counter}, ${luaString(aad)}`
  return { key, counter, aad, text, sealed: seal(key, counter, aad, text), arguments: lua }
}

function changed(box: ReturnType<typeof sealedCase>): string[] {
  const flip = (place: number) => {
    const copy = Buffer.from(box.sealed)
    copy[place] = (copy[place] ?? 0) ^ 128
    return copy
  }
  const boxes = [
    flip(0),
    flip(box.sealed.length - 1),
    box.sealed.subarray(1),
    box.sealed.subarray(0, 15),
    Buffer.alloc(0),
  ]
  const [key, aad] = [luaString(box.key), luaString(box.aad)]
  return [
    ...boxes.map((sealed) => `tostring(cipher.open(${box.arguments}, ${luaString(sealed)}))`),
    `tostring(cipher.open(${key}, ${box.counter === 0 ? 1 : 0}, ${aad}, ${luaString(box.sealed)}))`,
    `tostring(cipher.open(${key}, ${box.counter}, ${aad} .. 'x', ${luaString(box.sealed)}))`,
  ]
}

function hexed(hex: string): string {
  return `unhex('${hex}')`
}

/**
 * Lua expression that computes every golden vector, using only the vectors that a client knows in advance.
 */
const CLIENT = `(function()
  local v = { kid = ${hexed(vectors.kid)}, boot = ${hexed(vectors.boot_id)}, gn = ${hexed(vectors.gn)} }
  v.cp = curve.x25519(${hexed(vectors.ce)}, curve.base)
  v.es = curve.x25519(${hexed(vectors.ce)}, ${hexed(vectors.Sp)})
  v.ee = curve.x25519(${hexed(vectors.ce)}, ${hexed(vectors.ek)})
  v.h = hash.sha256('${vectors.suite}' .. v.kid .. v.boot .. ${hexed(vectors.ek)} .. v.cp)
  v.prk = hash.hmac(v.h, v.es .. v.ee)
  local keys = hash.expand(v.prk, 'lp1 handshake', 64)
  v.k_c2s, v.k_s2c = keys:sub(1, 32), keys:sub(33)
  v.hello_box = cipher.seal(v.k_c2s, 0, v.h, ${luaString(vectors.hello)})
  keys = hash.expand(v.prk, 'lp1 session' .. v.gn, 128)
  v.k_payload, v.k_beat, v.k_ws, v.k_lease = keys:sub(1, 32), keys:sub(33, 64), keys:sub(65, 96), keys:sub(97)
  v.payload = cipher.open(v.k_payload, 0, 'lp1 payload${vectors.exec}', ${hexed(vectors.payload_box)})
  v.payload_box = cipher.seal(v.k_payload, 0, 'lp1 payload${vectors.exec}', v.payload)
  local beat = hash.expand(v.k_beat, 'lp1 beat', 64):sub(1, 32)
  v.beat1_box = cipher.seal(beat, 0, 'lp1 beat${vectors.exec}1', ${luaString(vectors.beat1)})
  v.bk1 = hash.hmac(v.k_beat, 'lp1 step' .. ${hexed(vectors.r1)})
  v.ws_c2s_epoch1 = hash.expand(v.k_ws, 'lp1 ws 1', 64):sub(1, 32)
  v.ws_frame1 = cipher.seal(v.ws_c2s_epoch1, 1, 'lp1 ws c${vectors.exec}', ${luaString(vectors.ws1)})
  return v
end)()`

const GOLDEN: Readonly<Record<string, string>> = {
  kid: `hex(hash.sha256(${hexed(vectors.Sp)}):sub(1, 4))`,
  payload: `${CLIENT}.payload`,
  ...Object.fromEntries(
    ['cp', 'es', 'ee', 'h', 'prk', 'k_c2s', 'k_s2c', 'hello_box', 'k_payload', 'k_beat', 'k_ws', 'k_lease']
      .concat(['payload_box', 'beat1_box', 'bk1', 'ws_c2s_epoch1', 'ws_frame1'])
      .map((name) => [name, `hex(${CLIENT}.${name})`]),
  ),
}

// FIPS 180-4 examples, RFC 4231 §4.2, §4.3 and §4.7, RFC 5869 A.1.
const HASHES = [
  [`hash.sha256('')`, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [`hash.sha256('abc')`, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    `hash.sha256('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')`,
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  [
    `hash.hmac(('\\11'):rep(20), 'Hi There')`,
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  ],
  [
    `hash.hmac('Jefe', 'what do ya want for nothing?')`,
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    `hash.hmac(('\\170'):rep(131), 'Test Using Larger Than Block-Size Key - Hash Key First')`,
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
  [
    `hash.expand(${hexed('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5')}, ${hexed('f0f1f2f3f4f5f6f7f8f9')}, 42)`,
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  ],
] as const

// RFC 7748 §5.2: the first two vectors and the first step of the iteration.
const POINTS = [
  [
    'a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4',
    'e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c',
    'c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552',
  ],
  [
    '4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d',
    'e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493',
    '95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957',
  ],
  [
    `09${'00'.repeat(31)}`,
    `09${'00'.repeat(31)}`,
    '422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079',
  ],
] as const

const KEY_1 = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'

// RFC 8439 §2.4.2.
const SUNSCREEN =
  "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
const SUNSCREEN_SEALED =
  '6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357' +
  '1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736' +
  '5af90bbf74a35be6b40b8eedf2785e42874d'

// RFC 8439 §2.5.2 and A.3, vectors 7 to 11: sums at the edges of 2^130 - 5.
const TAGS = [
  [
    '85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b',
    Buffer.from('Cryptographic Forum Research Group').toString('hex'),
    'a8061dc1305136c6c22b8baf0c0127a9',
  ],
  [`02${'00'.repeat(31)}`, 'ff'.repeat(16), `03${'00'.repeat(15)}`],
  [`02${'00'.repeat(15)}${'ff'.repeat(16)}`, `02${'00'.repeat(15)}`, `03${'00'.repeat(15)}`],
  [
    `01${'00'.repeat(31)}`,
    `${'ff'.repeat(16)}f0${'ff'.repeat(15)}11${'00'.repeat(15)}`,
    `05${'00'.repeat(15)}`,
  ],
  [`01${'00'.repeat(31)}`, `${'ff'.repeat(16)}fb${'fe'.repeat(15)}${'01'.repeat(16)}`, '00'.repeat(16)],
  [`02${'00'.repeat(31)}`, `fd${'ff'.repeat(15)}`, `fa${'ff'.repeat(15)}`],
] as const
