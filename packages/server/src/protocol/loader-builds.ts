/**
 * Keeps several differently obfuscated builds of the loader. Each is served a certain number of times, and
 * then replaced in the background. Downloads never wait for a build, because the plain loader works too.
 */

/**
 * Obfuscates and packs a chunk with a seed. Resolves to undefined, or rejects, if no build can be made at the
 * moment.
 */
export type BuildLoader = (core: string, seed: number) => Promise<string | undefined>

export type LoaderSource = {
  /** Reads the loader as one chunk, before obfuscation. */
  readonly read: () => string
  /** Prepares a chunk to be served without a build. Runs on the main thread, so it must be fast. */
  readonly carry: (core: string) => string
  readonly build: BuildLoader
  readonly random: (count: number) => Buffer
}

type Build = { readonly text: string; served: number }

const BUILDS = 4
/**
 * Number of downloads before another initial build is made, so that a rarely used runtime costs only one
 * build.
 */
const DOWNLOADS_PER_BUILD = 25
/** A build takes about 0.1 s of one thread, spread over this many downloads. */
const MAX_SERVED = 500
/** Backoff after a failed build, as a number of downloads. */
const DOWNLOADS_BETWEEN_TRIES = 100

export class LoaderBuilds {
  readonly #source: LoaderSource
  readonly #builds: Build[] = []
  #next = 0
  #tryAt = 0
  #working: Promise<void> | undefined
  /** The latest build. Resolves to false if the build fails. */
  #newest: Promise<boolean> | undefined
  /** Created on first use, because most runtimes are never requested. */
  #plain: string | undefined

  constructor(source: LoaderSource) {
    this.#source = source
  }

  /** Returns a loader to serve now, and starts replacing used-up builds. */
  takeLoader(): string {
    const build = this.#builds[this.#next++ % Math.max(1, this.#builds.length)]
    if (build) build.served++
    if (this.#next > this.#tryAt && this.#isWanting()) this.#working ??= this.#replace()
    return build?.text ?? this.#readPlain()
  }

  /** Waits for the first build. Returns the plain loader if no build can be made. */
  async takeBuilt(): Promise<string> {
    this.takeLoader()
    if (this.#builds.length === 0) await this.#newest
    return this.takeLoader()
  }

  /** Resolves when no build is in progress. */
  async settle(): Promise<void> {
    await this.#working
  }

  #isWanting(): boolean {
    const wanted = Math.min(BUILDS, 1 + Math.floor(this.#next / DOWNLOADS_PER_BUILD))
    return this.#builds.length < wanted || this.#builds.some(isWornOut)
  }

  async #replace(): Promise<void> {
    // Builds one at a time, so that processes stay free for authors' uploads.
    while (this.#isWanting()) {
      this.#newest = this.#addBuild()
      if (await this.#newest) continue
      this.#tryAt = this.#next + DOWNLOADS_BETWEEN_TRIES
      break
    }
    this.#working = undefined
  }

  async #addBuild(): Promise<boolean> {
    const text = await this.#build()
    if (text === undefined) return false
    const wornOut = this.#builds.findIndex(isWornOut)
    const build = { text, served: 0 }
    this.#builds.splice(wornOut < 0 ? this.#builds.length : wornOut, wornOut < 0 ? 0 : 1, build)
    return true
  }

  async #build(): Promise<string | undefined> {
    const { read, build, random } = this.#source
    return build(read(), random(4).readUInt32LE()).catch(() => undefined)
  }

  #readPlain(): string {
    this.#plain ??= this.#source.carry(this.#source.read())
    return this.#plain
  }
}

function isWornOut(build: Build): boolean {
  return build.served >= MAX_SERVED
}
