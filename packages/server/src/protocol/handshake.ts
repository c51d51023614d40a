/**
 * The sealed half of an execution: opens what a client sent, in the order that refuses the cheapest first, and seals
 * what it is answered. Whether the client may run is decided in the domain, on the opened hello.
 */
import { type BadHello, readHelloBytes } from '@scriptward/client/hello'
import { type BootFailure, type Denial, type Grant, type Hello, PROTOCOL } from '@scriptward/client/messages'
import {
  type BadBody,
  type HandshakeKeys,
  isBootForScript,
  open,
  parseExec,
  type SessionKeys,
  sealPayload,
  sealReply,
  serverHandshake,
  sessionKeys,
  toB64u,
} from '@scriptward/client/wire'
import type { Protocol } from './protocol.ts'

export type Opened = {
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
  const spent = await protocol.bootKeys.spend(boot)
  if (spent !== 'spent') return spent === 'full' ? 'overloaded' : spent
  return {
    keys,
    hello: readHelloBytes(bytes),
    isBootFor: (scriptId) => isBootForScript(request.boot, scriptId),
  }
}

export function sealDenial(keys: HandshakeKeys, denial: Denial): string {
  return sealReply(keys, denial)
}

/** The keys of an execution whose grant has the nonce `gn`. */
export function executionKeys(keys: HandshakeKeys, gn: Buffer): SessionKeys {
  return sessionKeys(keys.prk, gn)
}

/** A grant with its payload behind it, or without one that is fetched in chunks. */
export function sealGrant(keys: HandshakeKeys, grant: Grant, payload?: SealedPayload): string {
  return sealReply(keys, grant, payload && sealPayload(payload.key, grant.exec, 0, payload.block))
}

export function sealChunk(key: Buffer, { exec, n, part }: Chunk): string {
  return `${PROTOCOL}.${toB64u(sealPayload(key, exec, n, part))}`
}

export type SealedPayload = { readonly key: Buffer; readonly block: Buffer }
type Chunk = { readonly exec: string; readonly n: number; readonly part: Buffer }
