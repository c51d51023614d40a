/** Boot records in the form that loaders embed and `GET /boot` returns (client protocol §7). */
import { ACCEPTED_VERSIONS, type BootRecord } from '@scriptward/client/messages'
import { signBootRecord, toB64u } from '@scriptward/client/wire'
import type { ServerKeys } from '../platform/secrets/keyring.ts'
import type { BootKeys } from './boot-keys.ts'

export type BootRequest = {
  readonly scriptId: string
  readonly version: number
  /** The lowest loader build that the script accepts. */
  readonly lowestBuild: number
  /** Base URLs of the client protocol, in the order to try them. */
  readonly urls: readonly string[]
}

type Sources = {
  readonly server: ServerKeys
  readonly bootKeys: BootKeys
  readonly now: number
  readonly random: (count: number) => Buffer
}

export async function makeBootRecord(
  request: BootRequest,
  { server, bootKeys, now, random }: Sources,
): Promise<BootRecord> {
  const { id, ephemeral } = await bootKeys.issueBoot(request.scriptId, now)
  return signBootRecord(server.signing.privateKey, {
    v: 1,
    kid: server.exchange.kid,
    boot: toB64u(id),
    ek: toB64u(ephemeral.publicKey),
    seed: toB64u(random(32)),
    st: now,
    sv: request.version,
    minlb: request.lowestBuild,
    pv: ACCEPTED_VERSIONS,
    urls: request.urls,
  })
}
