/** Verifies signatures with the official Standard Webhooks library and a published test vector. */
import { createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { addressSecret, publicKeyText, signatureHeaders } from './sign.ts'

const BODY = '{"test": 2432232314}'
/** The published secret key consists of two halves: the seed and the public key. */
const VECTOR = {
  whsk: '6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1_614_265_330_999,
  signature: 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
}

function keysOf(whsk: string) {
  const bytes = Buffer.from(whsk, 'base64')
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes.subarray(0, 32)])
  return {
    privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    publicKey: bytes.subarray(32),
  }
}

describe('the signature of a message', () => {
  const { privateKey, publicKey } = keysOf(VECTOR.whsk)

  it('matches the published one for the published key', () => {
    const headers = signatureHeaders({ id: VECTOR.id, at: VECTOR.at, body: BODY }, privateKey, [])
    expect(headers).toEqual({
      'webhook-id': VECTOR.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': VECTOR.signature,
    })
  })

  it('is accepted by the public library, and not for another body', () => {
    const secret = addressSecret('the-operators-master', 'prj_1', 'execution')
    const headers = signatureHeaders({ id: 'evt_1', at: Date.now(), body: BODY }, privateKey, [secret])
    expect(new Webhook(secret).verify(BODY, headers)).toEqual({ test: 2_432_232_314 })
    expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow('No matching signature')
    const other = addressSecret('the-operators-master', 'prj_1', 'blacklist')
    expect(() => new Webhook(other).verify(BODY, headers)).toThrow('No matching signature')
  })

  it('can be verified with the public key in its published form', () => {
    const text = publicKeyText(publicKey)
    expect(text).toBe(`whpk_${publicKey.toString('base64')}`)
    const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(text.slice(5), 'base64').toString('base64url') }
    const signature = Buffer.from(VECTOR.signature.slice(4), 'base64')
    const content = Buffer.from(`${VECTOR.id}.1614265330.${BODY}`)
    expect(verify(null, content, createPublicKey({ key, format: 'jwk' }), signature)).toBe(true)
  })
})
