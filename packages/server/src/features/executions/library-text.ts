/** The source of the library for script hubs, as a client downloads it. */
import { type LoaderRuntime, libraryCore, renderLibrary } from '@scriptward/client/bundle'
import type { Deps } from '../../deps.ts'

type LibraryDownload = {
  readonly runtime: LoaderRuntime
  /** Client base URLs, in the order to try them. */
  readonly urls: readonly string[]
  readonly project: string | undefined
}

/**
 * The source is joined from the files on the first download for each runtime, because most runtimes are never
 * requested.
 */
const cores = new Map<LoaderRuntime, string>()

/** Trusts the server's current keys and their successors, so that a cached copy survives a key rotation. */
export function libraryText({ secrets, now }: Deps, { runtime, urls, project }: LibraryDownload): string {
  const core = cores.get(runtime) ?? libraryCore(runtime)
  cores.set(runtime, core)
  const pins = secrets.server.pins(now()).map(({ ed25519 }) => ed25519)
  return renderLibrary(core, { urls, pins, ...(project === undefined ? {} : { project }) })
}
