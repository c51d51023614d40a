/**
 * Decrypts the body of `/exec`, with the cheapest checks first. The domain layer decides whether the client
 * may run.
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
import type { ServerKeys } from '../platform/secrets/keyring.ts'
import { type BodyName, digestOf } from './answer-cache.ts'
import type { BootKeys } from './boot-keys.ts'

export type Opened = {
  /** Digest of the entire body. */
  readonly digest: string
  readonly keys: HandshakeKeys
  readonly hello: Hello | BadHello
  readonly isBootFor: (scriptId: string) => boolean
}

/** `overloaded`: there is no memory left to remember another used boot record. */
export type OpenFailure = BadBody | BootFailure | 'overloaded'

type Keys = { readonly server: ServerKeys; readonly bootKeys: BootKeys }

/**
 * A body has no side effects unless its box can be decrypted. Once it is decrypted, the boot record is marked
 * as used, even if the hello is invalid.
 */
export async function openHandshake(
  { server, bootKeys }: Keys,
  body: string,
  now: number,
): Promise<Opened | OpenFailure> {
  const request = parseExec(body)
  if (typeof request === 'string') return request
  const exchange = server.findExchange(request.kid, now)
  if (!exchange) return 'kid_unknown'
  const boot = await bootKeys.checkBoot(request.boot, now)
  if (typeof boot === 'string') return boot
  const keys = serverHandshake(exchange, boot.ephemeral, request.boot, request.ep)
  if (!keys) return 'ep'
  const bytes = open(keys.c2s, 0, keys.h, request.box)
  if (!bytes) return 'box'
  const digest = digestOf(body)
  const spent = await bootKeys.spendBoot(boot, digest)
  if (spent !== 'spent') return spent === 'full' ? 'overloaded' : spent
  return {
    digest,
    keys,
    hello: readHelloBytes(bytes),
    isBootFor: (scriptId) => isBootForScript(request.boot, scriptId),
  }
}

/** Identifies a body, to find the response to an earlier request with the same body. */
export function nameBody(body: string): BodyName | undefined {
  const request = parseExec(body)
  if (typeof request === 'string') return undefined
  return { digest: digestOf(body), nonce: request.boot.toString('hex', 0, 12) }
}

/** Derives the keys of an execution whose grant has the nonce `gn`. */
export function executionKeys(keys: HandshakeKeys, gn: Buffer): SessionKeys {
  return sessionKeys(keys.prk, gn)
}
