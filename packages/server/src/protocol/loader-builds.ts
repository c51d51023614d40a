/**
 * The loader's text in several differently obfuscated builds. Each is served a number of times and then replaced in
 * the background; nobody waits for one, because the plain text works as well. What a build contains is the client
 * package's part, how texts are obfuscated the pool's.
 */

/** Obfuscates a chunk with a seed; undefined, or a rejection, when that is not possible at the moment. */
export type BuildLoader = (core: string, seed: number) => Promise<string | undefined>

export type LoaderSource = {
  /** Reads the loader as one chunk, before obfuscation. */
  readonly read: () => string
  /** Makes of a chunk what is served. */
  readonly pack: (core: string) => string
  readonly build: BuildLoader
  readonly random: (count: number) => Buffer
}

type Build = { readonly text: string; served: number }

const BUILDS = 4
/** A build takes about 0.1 s of one thread, which this spreads over as many downloads. */
const SERVED_AT_MOST = 500
/** After a failure, so that what cannot be built does not cost a try for each download. */
const DOWNLOADS_BETWEEN_TRIES = 100

export class LoaderBuilds {
  readonly #source: LoaderSource
  readonly #builds: Build[] = []
  #next = 0
  #tryAt = 0
  #working: Promise<void> | undefined
  /** Made when first needed: most kinds of host ask for no loader. */
  #plain: string | undefined

  constructor(source: LoaderSource) {
    this.#source = source
  }

  /** A text to serve now. Replaces worn out builds meanwhile. */
  take(): string {
    const build = this.#builds[this.#next++ % Math.max(1, this.#builds.length)]
    if (build) build.served++
    if (this.#next > this.#tryAt && this.#isWanting()) this.#working ??= this.#replace()
    return build?.text ?? this.#readPlain()
  }

  /** A build, waiting until there is one; the plain text where none can be made. */
  async takeBuilt(): Promise<string> {
    this.take()
    await this.settle()
    return this.take()
  }

  /** Resolves when no build is being made. */
  async settle(): Promise<void> {
    await this.#working
  }

  #isWanting(): boolean {
    return this.#builds.length < BUILDS || this.#builds.some(isWornOut)
  }

  async #replace(): Promise<void> {
    // One at a time, so that authors' uploads find free threads.
    while (this.#isWanting()) {
      const text = await this.#build()
      if (text === undefined) {
        this.#tryAt = this.#next + DOWNLOADS_BETWEEN_TRIES
        break
      }
      const wornOut = this.#builds.findIndex(isWornOut)
      this.#builds.splice(wornOut < 0 ? this.#builds.length : wornOut, wornOut < 0 ? 0 : 1, {
        text,
        served: 0,
      })
    }
    this.#working = undefined
  }

  async #build(): Promise<string | undefined> {
    const { read, pack, build, random } = this.#source
    const built = await build(read(), random(4).readUInt32LE()).catch(() => undefined)
    return built === undefined ? undefined : pack(built)
  }

  #readPlain(): string {
    this.#plain ??= this.#source.pack(this.#source.read())
    return this.#plain
  }
}

function isWornOut(build: Build): boolean {
  return build.served >= SERVED_AT_MOST
}
