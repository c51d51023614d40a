/**
 * Opens what a client sent, in the order that refuses the cheapest first. Whether the client may run is decided in the
 * domain, on the opened hello.
 */
import { type BadHello, readHelloBytes } from '@scriptward/client/hello'
import type { BootFailure, Hello } from '@scriptward/client/messages'
import {
  type BadBody,
  type HandshakeKeys,
  isBootForScript,
  open,
  parseExec,
  type SessionKeys,
  serverHandshake,
  sessionKeys,
} from '@scriptward/client/wire'
import { type BodyName, digestOf } from './answer-cache.ts'
import type { Protocol } from './protocol.ts'

export type Opened = {
  /** Of the whole body. */
  readonly digest: string
  readonly keys: HandshakeKeys
  readonly hello: Hello | BadHello
  readonly isBootFor: (scriptId: string) => boolean
}

/** `overloaded`: so many boot records were used lately that one more cannot be remembered. */
export type OpenFailure = BadBody | BootFailure | 'overloaded'

/** Nothing is kept of a body before its box has opened; then its boot record is used up, whatever the hello says. */
export async function openHandshake(
  protocol: Protocol,
  body: string,
  now: number,
): Promise<Opened | OpenFailure> {
  const request = parseExec(body)
  if (typeof request === 'string') return request
  const exchange = protocol.keyring.find(request.kid, now)
  if (!exchange) return 'kid_unknown'
  const boot = await protocol.bootKeys.check(request.boot, now)
  if (typeof boot === 'string') return boot
  const keys = serverHandshake(exchange, boot.ephemeral, request.boot, request.ep)
  if (!keys) return 'ep'
  const bytes = open(keys.c2s, 0, keys.h, request.box)
  if (!bytes) return 'box'
  const digest = digestOf(body)
  const spent = await protocol.bootKeys.spend(boot, digest)
  if (spent !== 'spent') return spent === 'full' ? 'overloaded' : spent
  return {
    digest,
    keys,
    hello: readHelloBytes(bytes),
    isBootFor: (scriptId) => isBootForScript(request.boot, scriptId),
  }
}

/** What a body is known by that may have been answered before. */
export function nameBody(body: string): BodyName | undefined {
  const request = parseExec(body)
  if (typeof request === 'string') return undefined
  return { digest: digestOf(body), nonce: request.boot.toString('hex', 0, 12) }
}

/** The keys of an execution whose grant has the nonce `gn`. */
export function executionKeys(keys: HandshakeKeys, gn: Buffer): SessionKeys {
  return sessionKeys(keys.prk, gn)
}
