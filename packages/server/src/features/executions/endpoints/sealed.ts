/** Encrypted responses of the client protocol, and the error for a body that cannot be decrypted. */
import { PROTOCOL } from '@scriptward/client/messages'
import type { BadBody } from '@scriptward/client/wire'
import type { Text } from '../../../api/endpoint.ts'
import { type Refused, refuseMember } from '../../../api/refusals.ts'

export function sealed(text: string): Text {
  return { status: 200, contentType: 'text/plain; charset=us-ascii', text, headers: NO_STORE }
}

/** Binary response for clients that accept raw bytes. */
export function sealedBytes(bytes: Buffer): Text {
  return { status: 200, contentType: 'application/octet-stream', text: bytes, headers: NO_STORE }
}

export function refuseBody(failure: BadBody): Text | Refused<'invalid_request'> {
  return failure === 'unsupported_protocol' ? unsupported() : refuseMember(failure, MENDS[failure])
}

const MENDS = {
  body: 'must have the fields of its kind, lp1 first, joined by dots',
  kid: 'must be 8 hex digits',
  boot: 'must be 40 bytes in base64url',
  ep: 'must be an X25519 public key of 32 bytes in base64url',
  box: 'must be a base64url-encoded box that can be decrypted with its keys',
  exec: 'must be 16 bytes in base64url',
  n: 'must be a number of 1 or more',
} as const

function unsupported(): Text {
  const error = { code: -1, message: 'unsupported protocol' }
  const text = JSON.stringify({ success: false, error, supported: [PROTOCOL] })
  return { status: 426, contentType: 'application/json; charset=utf-8', text, headers: NO_STORE }
}

const NO_STORE = { 'cache-control': 'no-store' }
