/** In-memory state of the client protocol, opened once at startup. */
import { hash } from 'node:crypto'
import { LOADER_RUNTIMES, type LoaderRuntime, type LoaderUse } from '@scriptward/client/bundle'
import type { Secrets } from '../platform/secrets/keyring.ts'
import type { Valkey } from '../platform/valkey/valkey.ts'
import { AnswerCache } from './answer-cache.ts'
import { BootKeys } from './boot-keys.ts'
import { jointBootStore, ownBootStore } from './boot-store.ts'
import { ChunkGrants } from './chunk-grants.ts'
import { Allowance, ContentCache } from './contents.ts'
import { KeptLoader } from './kept-loader.ts'
import { LoaderBuilds, type LoaderSource } from './loader-builds.ts'
import { PayloadCache } from './payload-cache.ts'
import { type DueBeat, RatchetCache } from './ratchet.ts'
import { Batcher } from './sessions/batcher.ts'

export type ClientProtocol = {
  readonly bootKeys: BootKeys
  readonly loaders: LoadersByRuntime
  /** Loaders that authors distribute as files. */
  readonly loaderFiles: LoadersByRuntime
  /** The loader for hosts that store it as a file. */
  readonly keptLoaders: ByRuntime<KeptLoader>
  readonly payloads: PayloadCache
  readonly contents: ContentCache
  /** Byte limits for changed variables in heartbeat responses and live sessions. */
  readonly variableBytes: { readonly beats: Allowance; readonly sessions: Allowance }
  readonly chunkGrants: ChunkGrants
  readonly ratchets: RatchetCache
  /** Batches heartbeats into one commit. Undefined means that a heartbeat needs individual processing. */
  readonly beats: Batcher<DueBeat, string | undefined>
  /** Cached responses for clients whose response was lost. */
  readonly answers: AnswerCache
}

type ByRuntime<Each> = Readonly<Record<LoaderRuntime, Each>>
type LoadersByRuntime = ByRuntime<LoaderBuilds>

/**
 * Maximum number of bytes of variables to send per second. The limit is lower for heartbeats, because their
 * responses are stored.
 */
const BEAT_BYTES = 8 * 1024 * 1024
const SESSION_BYTES = 64 * 1024 * 1024

const BEAT_BATCHES = { pollMs: 5, maxPolls: 8, minBatch: 24, maxBatch: 200 }

export type ClientOptions = {
  readonly secrets: Secrets
  /** Undefined with a single process. */
  readonly valkey: Valkey | undefined
  readonly now: () => number
  readonly random: (count: number) => Buffer
  readonly loader: (runtime: LoaderRuntime, use: LoaderUse) => Omit<LoaderSource, 'random'>
}

export function openClientProtocol(options: ClientOptions): ClientProtocol {
  const { valkey, secrets } = options
  return {
    bootKeys: openBootKeys(options),
    loaders: openLoaders(options, 'once'),
    loaderFiles: openLoaders(options, 'file'),
    keptLoaders: openKeptLoaders(options),
    payloads: new PayloadCache(),
    contents: new ContentCache(),
    variableBytes: { beats: new Allowance(BEAT_BYTES), sessions: new Allowance(SESSION_BYTES) },
    chunkGrants: new ChunkGrants(),
    ratchets: new RatchetCache(),
    beats: new Batcher(BEAT_BATCHES),
    answers: new AnswerCache(valkey && { valkey, sealer: secrets }),
  }
}

function openBootKeys({ secrets, valkey, random, now }: ClientOptions): BootKeys {
  const store = valkey ? jointBootStore(valkey, secrets, random) : ownBootStore(random)
  const keys = new BootKeys(random, store, now())
  valkey?.onReturn(() => keys.renew())
  return keys
}

function openLoaders({ loader, random }: ClientOptions, use: LoaderUse): LoadersByRuntime {
  return byRuntime((runtime) => new LoaderBuilds({ ...loader(runtime, use), random }))
}

/** The seed is the same in every process and on every startup. */
function openKeptLoaders({ loader, secrets }: ClientOptions): ByRuntime<KeptLoader> {
  const seed = hash('sha256', `kept loaders of ${secrets.name}`, 'buffer').readUInt32LE()
  return byRuntime((runtime) => new KeptLoader(loader(runtime, 'once'), seed))
}

function byRuntime<Each>(open: (runtime: LoaderRuntime) => Each): ByRuntime<Each> {
  const entries = LOADER_RUNTIMES.map((runtime) => [runtime, open(runtime)])
  return Object.fromEntries(entries) as ByRuntime<Each>
}
