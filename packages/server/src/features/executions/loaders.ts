/**
 * Creates boot records, either separately or inside a loader. Anyone who knows the script ID can get one.
 * Whether the script may run is checked later.
 */
import {
  type LoaderRecord,
  type LoaderRuntime,
  renderLoader,
  renderLoaderFile,
} from '@scriptward/client/bundle'
import { type CacheUse, renderReadingLoader, renderWritingLoader } from '@scriptward/client/kept-code'
import type { BootRecord } from '@scriptward/client/messages'
import { type Refused, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { makeBootRecord } from '../../protocol/boot-record.ts'
import { limitAddress } from '../abuse/attempts.ts'
import { loadPayload } from '../builds/payloads.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import { findRunnable, type RunnableRow } from '../scripts/store/runnable-scripts.ts'
import { lowestBuild } from './facts.ts'

export type Download = {
  readonly scriptId: string
  /** The signed URLs of the client protocol, in the order to try them. Empty if none are configured. */
  readonly urls: readonly string[]
  readonly address: string
}

export type LoaderHost = {
  readonly runtime: LoaderRuntime
  /** How the loader uses the host's files. Undefined if it uses none. */
  readonly cache?: CacheUse | undefined
  /** Client URLs for this client only. They are not part of the signed record. */
  readonly urls: readonly string[]
}

type Failures = Refused<'rate_limited' | 'not_found'>

export async function bootRecord(deps: Deps, download: Download): Promise<BootRecord | Failures> {
  const script = await findLoadable(deps, download)
  return 'reason' in script ? script : newBoot(deps, script, download)
}

/** Creates Lua source for one execution. */
export async function loaderText(
  deps: Deps,
  download: Download,
  host: LoaderHost,
): Promise<string | Failures> {
  const limited = await limitAddress(deps, 'loader', download.address)
  return limited ?? unlimitedLoaderText(deps, download, host)
}

/** Like `loaderText`, for callers that have already applied the rate limit. */
export async function unlimitedLoaderText(
  deps: Deps,
  download: Download,
  host: LoaderHost,
): Promise<string | Failures> {
  const script = await findScript(deps, download.scriptId)
  if ('reason' in script) return script
  const keys = deps.secrets.server.publicKeys(deps.now()).keys
  const payload = await loadPayload(deps, script)
  const interpreter = payload?.split?.interpreter ?? null
  const record: LoaderRecord = {
    project_id: script.project_id,
    script_id: script.id,
    keys: Object.fromEntries(keys.map((key) => [key.kid, key.x25519])),
    ...(interpreter === null ? {} : { interpreter }),
    ...(download.urls.length === 0 ? { urls: host.urls } : {}),
    ...formatFor(script, script),
  }
  const boot = await newBoot(deps, script, download)
  return render(deps, boot, record, host)
}

function render({ client, random }: Deps, boot: BootRecord, record: LoaderRecord, host: LoaderHost): string {
  const { runtime, cache, urls } = host
  const loader = cache && client.keptLoaders[runtime].take()
  if (loader === undefined) return renderLoader(client.loaders[runtime].takeLoader(), boot, record)
  const code = { loader, interpreter: record.interpreter }
  if (cache === 'write') return renderWritingLoader(boot, record, code)
  const query = runtime === 'any' ? '' : `rt=${runtime}&`
  const sources = urls.map((url) => `${url}/loader/${record.script_id}?${query}`)
  return renderReadingLoader(boot, record, { ...code, urls: sources, random })
}

/**
 * Creates Lua source for an author to distribute. It works for any number of executions. It trusts the
 * server's current keys and their successors, so it does not have to trust the network.
 */
export async function loaderFile(
  { secrets, client, now }: Deps,
  { script, project }: Pick<ScriptSubject, 'script' | 'project'>,
  { urls, runtime }: { readonly urls: readonly string[]; readonly runtime: LoaderRuntime },
): Promise<string> {
  const pinned = secrets.server.pins(now())
  return renderLoaderFile(await client.loaderFiles[runtime].takeBuilt(), {
    project_id: project.id,
    script_id: script.id,
    urls,
    ...formatFor(script, project),
    keys: Object.fromEntries(pinned.map(({ kid, x25519 }) => [kid, x25519])),
    pins: pinned.map(({ ed25519 }) => ed25519),
  })
}

type Talking = Pick<RunnableRow, 'silent' | 'free_for_all'>
type Formatted = Pick<RunnableRow, 'key_format'>

/**
 * Returns no key format for silent scripts, which must not report typos, or for free-for-all scripts, which
 * run even with an invalid key.
 */
function formatFor(
  { silent, free_for_all }: Talking,
  { key_format }: Formatted,
): Pick<LoaderRecord, 'key_format'> {
  return key_format === null || silent || free_for_all ? {} : { key_format }
}

/** Returns an error if the script doesn't exist or has no loader. */
export async function findLoader(
  deps: Deps,
  download: Pick<Download, 'scriptId' | 'address'>,
): Promise<undefined | Failures> {
  const found = await findLoadable(deps, download)
  return 'reason' in found ? found : undefined
}

async function findLoadable(
  deps: Deps,
  { scriptId, address }: Pick<Download, 'scriptId' | 'address'>,
): Promise<RunnableRow | Failures> {
  const limited = await limitAddress(deps, 'loader', address)
  return limited ?? findScript(deps, scriptId)
}

async function findScript({ db }: Deps, scriptId: string): Promise<RunnableRow | Refused<'not_found'>> {
  // PostgreSQL raises an error for strings with null characters.
  const script = /^[\w-]{1,64}$/.test(scriptId) ? await findRunnable(db.readPoint, scriptId) : null
  return script ?? refuseMissing(`Script ${shownId(scriptId)} does not exist`)
}

function newBoot(
  { secrets, client, now, random }: Deps,
  script: RunnableRow,
  { urls }: Download,
): Promise<BootRecord> {
  const { bootKeys } = client
  const { id, version } = script
  const sources = { server: secrets.server, bootKeys, now: now(), random }
  return makeBootRecord({ scriptId: id, version, lowestBuild: lowestBuild(script), urls }, sources)
}
