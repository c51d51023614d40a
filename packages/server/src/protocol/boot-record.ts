/** Boot records as loaders embed them and `GET /boot` answers them (client protocol §7), signed by the keyring. */
import { type BootRecord, LOWEST_LOADER_BUILD, PROTOCOL_VERSION } from '@scriptward/client/messages'
import { signBootRecord, toB64u } from '@scriptward/client/wire'
import type { Protocol } from './protocol.ts'

export type BootRequest = {
  readonly scriptId: string
  readonly version: number
  /** Where the client finds the protocol, in the order of trial. */
  readonly urls: readonly string[]
}

type Sources = { readonly now: number; readonly random: (count: number) => Buffer }

export async function makeBootRecord(
  protocol: Protocol,
  request: BootRequest,
  { now, random }: Sources,
): Promise<BootRecord> {
  const { keyring, bootKeys } = protocol
  const { id, ephemeral } = await bootKeys.issue(request.scriptId, now)
  return signBootRecord(keyring.signing.privateKey, {
    v: 1,
    kid: keyring.exchange.kid,
    boot: toB64u(id),
    ek: toB64u(ephemeral.publicKey),
    seed: toB64u(random(32)),
    st: now,
    sv: request.version,
    minlb: LOWEST_LOADER_BUILD,
    pv: [PROTOCOL_VERSION],
    urls: request.urls,
  })
}
