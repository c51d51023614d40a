/**
 * The loader for hosts that store it as a file. Unlike the builds in loader-builds.ts, it is always the same
 * for a release and a keyring, in every process and after every startup, so that hosts rarely have to
 * download it again.
 */
import type { LoaderSource } from './loader-builds.ts'

/** Backoff after a failed build, as a number of requests. */
const REQUESTS_BETWEEN_TRIES = 100

export class KeptLoader {
  readonly #source: Pick<LoaderSource, 'read' | 'build'>
  readonly #seed: number
  #text: string | undefined
  #working: Promise<void> | undefined
  #requests = 0
  #tryAt = 0

  constructor(source: Pick<LoaderSource, 'read' | 'build'>, seed: number) {
    this.#source = source
    this.#seed = seed
  }

  /**
   * Returns the packed loader. The first request starts the build. Until the build is done, the result is
   * undefined.
   */
  take(): string | undefined {
    if (this.#text === undefined && this.#requests++ >= this.#tryAt) this.#working ??= this.#build()
    return this.#text
  }

  /** Resolves when no build is in progress. */
  async settle(): Promise<void> {
    await this.#working
  }

  async #build(): Promise<void> {
    const { read, build } = this.#source
    this.#text = await build(read(), this.#seed).catch(() => undefined)
    this.#tryAt = this.#requests + REQUESTS_BETWEEN_TRIES
    this.#working = undefined
  }
}
