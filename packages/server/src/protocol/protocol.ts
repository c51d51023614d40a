/**
 * What the client protocol keeps outside the database, opened once at the start. It lives as long as the process and
 * starts no timer; everything in it is driven by the calls that use it.
 */
import { LOADER_RUNTIMES, type LoaderRuntime, type LoaderUse } from '@scriptward/client/bundle'
import { Valkey } from '../valkey/valkey.ts'
import { AnswerCache } from './answer-cache.ts'
import { AttemptLimits } from './attempt-limits.ts'
import { Batcher } from './batcher.ts'
import { BootKeys } from './boot-keys.ts'
import { jointBootStore, ownBootStore } from './boot-store.ts'
import { ChunkGrants } from './chunk-grants.ts'
import { DenialCounts } from './denial-counts.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { KnownRatchets } from './known-ratchets.ts'
import { LoaderBuilds, type LoaderSource } from './loader-builds.ts'
import { PayloadCache } from './payload-cache.ts'
import { ProcessBus } from './process-bus.ts'
import type { DueBeat } from './ratchet.ts'
import { SessionHub } from './session-hub.ts'
import { type SessionBus, SessionNetwork } from './session-network.ts'

export type Protocol = {
  readonly keyring: Keyring
  readonly bootKeys: BootKeys
  readonly limits: AttemptLimits
  readonly loaders: Readonly<Record<LoaderRuntime, LoaderBuilds>>
  /** Those that are kept as files. */
  readonly loaderFiles: Readonly<Record<LoaderRuntime, LoaderBuilds>>
  readonly payloads: PayloadCache
  readonly chunkGrants: ChunkGrants
  readonly ratchets: KnownRatchets
  /** Beats that are answered together; what is undefined was none of those that go on as usual. */
  readonly beats: Batcher<DueBeat, string | undefined>
  /** For clients whose answer was lost. */
  readonly answers: AnswerCache
  /** Sessions that this process holds. */
  readonly sessions: SessionHub
  /** Sessions of all processes. */
  readonly network: SessionNetwork
  /** Absent in a process that is alone. */
  readonly valkey: Valkey | undefined
  readonly denials: DenialCounts
  /** How fast denials of one user or project are written down. */
  readonly denialRecords: DenialCounts
}

/** In a minute, to the owner of a project, and of one user or project. */
const DENIALS_TOLD = 60
const DENIALS_RECORDED = 12
/** How beats wait for others to be written down with. */
const BEATS_TOGETHER = { pollMs: 5, maxPolls: 8, minBatch: 24, maxBatch: 200 }

export type ProtocolOptions = {
  /** Folder of the keyring. */
  readonly dataDir: string
  /** Whether nothing needs a former keyring yet, so that a missing one may be made. */
  readonly isNew: boolean
  /** Factor on the attempt limits; 0 switches them off. */
  readonly clientRates: number
  /** How long a message to a session waits for its answer. */
  readonly sessionWaitMs: number
  /** Of the server that the processes of this service share. */
  readonly valkeyUrl: string | undefined
  /** Told when Valkey is lost. */
  readonly failed: (error: Error) => void
  readonly now: () => number
  readonly random: (count: number) => Buffer
  readonly loader: (runtime: LoaderRuntime, use: LoaderUse) => Omit<LoaderSource, 'random'>
}

/** Throws an Error with the mend when the keyring or Valkey cannot be used. */
export async function openProtocol(options: ProtocolOptions): Promise<Protocol> {
  const { random, now, sessionWaitMs, valkeyUrl: url, failed } = options
  const keyring = await openKeyring(options.dataDir, random, options.isNew)
  const valkey = url === undefined ? undefined : await Valkey.open({ url, name: keyring.name, failed })
  const sessions = new SessionHub(sessionWaitMs, now)
  const bus: SessionBus | undefined = valkey && new ProcessBus(valkey, random(9).toString('base64url'))
  return {
    keyring,
    valkey,
    bootKeys: openBootKeys(options, keyring, valkey),
    limits: new AttemptLimits(options.clientRates, valkey),
    loaders: openLoaders(options, 'once'),
    loaderFiles: openLoaders(options, 'file'),
    payloads: new PayloadCache(),
    chunkGrants: new ChunkGrants(),
    ratchets: new KnownRatchets(),
    beats: new Batcher(BEATS_TOGETHER),
    answers: new AnswerCache(valkey && { valkey, key: keyring.answerKey, random }),
    sessions,
    network: new SessionNetwork(sessions, bus, sessionWaitMs),
    denials: new DenialCounts(DENIALS_TOLD),
    denialRecords: new DenialCounts(DENIALS_RECORDED),
  }
}

function openBootKeys({ random, now }: ProtocolOptions, { bootKey }: Keyring, valkey?: Valkey): BootKeys {
  const store = valkey ? jointBootStore(valkey, bootKey, random) : ownBootStore(random)
  const keys = new BootKeys(random, store, now())
  valkey?.onReturn(() => keys.renew())
  return keys
}

function openLoaders({ loader, random }: ProtocolOptions, use: LoaderUse): Protocol['loaders'] {
  const builds = LOADER_RUNTIMES.map((runtime) => [
    runtime,
    new LoaderBuilds({ ...loader(runtime, use), random }),
  ])
  return Object.fromEntries(builds) as Protocol['loaders']
}
