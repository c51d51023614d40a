/**
 * What domain functions and endpoints are given besides their arguments. Six members at the most: a thing that only
 * one function needs is that function's argument.
 */
import type { Config } from './config.ts'
import type { Obfuscator } from './obfuscation/pool.ts'
import type { Protocol } from './protocol/protocol.ts'
import type { Database } from './store/engine/db.ts'

export type Deps = {
  readonly config: Config
  readonly db: Database
  /** Milliseconds since 1970 in UTC; the only clock. */
  readonly now: () => number
  /** `count` bytes from a cryptographically secure generator; the only randomness. */
  readonly random: (count: number) => Buffer
  readonly obfuscator: Obfuscator
  /** What the client protocol keeps outside the database: keyring, boot keys, prepared loaders, attempt limits. */
  readonly protocol: Protocol
}
