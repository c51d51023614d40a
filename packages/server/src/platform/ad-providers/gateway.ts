/**
 * Calls the ad providers' APIs with a timeout, one retry and a circuit breaker. Each provider's own file
 * defines the requests and interprets the responses.
 */
import { Breaker } from './breaker.ts'
import { adProviders } from './list.ts'
import type {
  AdProvider,
  Ask,
  Leaving,
  LinkOrder,
  LinkResult,
  ProviderId,
  ProviderRequest,
  Reply,
  Verdict,
  Visit,
} from './provider.ts'
import { ProviderDown } from './provider-down.ts'

/** URL of each provider. A provider without a `url` is disabled. */
export type Places = Readonly<Record<ProviderId, { readonly url: string | undefined }>>

/**
 * Authors choose the settings, and can repeat a call as often as they like, so their failures must not open
 * the circuit for the visitors of other accounts.
 */
export type Asker = 'visitor' | 'author'

const TRIES = 2
/** Maximum number of bytes read from a response. Actual responses are a few hundred bytes long. */
const MAX_STORED_ANSWER = 64 * 1024

export class ProviderGateway {
  readonly #places: Places
  readonly #now: () => number
  readonly #breakers: Readonly<Record<ProviderId, Breaker>> = {
    provider_a: new Breaker(),
    provider_b: new Breaker(),
    provider_c: new Breaker(),
  }

  constructor(places: Places, now: () => number) {
    this.#places = places
    this.#now = now
  }

  /** Whether a provider is disabled or its circuit is open. */
  isDown(id: ProviderId): boolean {
    return this.#places[id].url === undefined || this.#breakers[id].isOpen(this.#now())
  }

  /** Throws {@link ProviderDown}. */
  leave(id: ProviderId, visit: Visit, asker: Asker = 'visitor'): Promise<Leaving> {
    return this.#guarded(id, asker, (ask) => adProviders[id].leave(visit, ask))
  }

  /** Throws {@link ProviderDown}. */
  confirm(id: ProviderId, visit: Visit, token: string, asker: Asker = 'visitor'): Promise<Verdict> {
    return this.#guarded(id, asker, (ask) => adProviders[id].confirm(visit, token, ask))
  }

  /** Resolves to undefined if the provider has no such API. Throws {@link ProviderDown}. */
  async createLink(id: ProviderId, order: LinkOrder): Promise<LinkResult | undefined> {
    const { createLink } = adProviders[id]
    return createLink && (await this.#guarded(id, 'author', (ask) => createLink(order, ask)))
  }

  async #guarded<T>(id: ProviderId, asker: Asker, work: (ask: Ask) => Promise<T>): Promise<T> {
    const base = this.#places[id].url
    if (base === undefined || this.isDown(id)) throw new ProviderDown()
    let isRejected = false
    try {
      const done = await work(async (question) => {
        const reply = await askTwice(adProviders[id], base, question)
        isRejected ||= reply.status >= 400
        return reply
      })
      this.#breakers[id].succeeded()
      return done
    } catch (error) {
      // A rejection concerns only this account or visitor.
      const isOutage = error instanceof ProviderDown && asker === 'visitor' && !isRejected
      if (isOutage) this.#breakers[id].failed(this.#now())
      throw error
    }
  }
}

async function askTwice(
  { timeoutMs, totalMs }: AdProvider,
  base: string,
  question: ProviderRequest,
): Promise<Reply> {
  const patience = AbortSignal.timeout(totalMs)
  for (let tries = 1; tries <= TRIES && !patience.aborted; tries += 1) {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), patience])
    const reply = await askOnce(base, question, signal)
    if (reply !== undefined && reply.status < 500 && reply.status !== 429) return reply
  }
  throw new ProviderDown()
}

/**
 * Returns undefined if there is no response. Redirects are not followed, because the operator configured the
 * URL.
 */
async function askOnce(
  base: string,
  { method, path, headers = {}, body }: ProviderRequest,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  try {
    const response = await fetch(base + path, {
      method,
      headers: { accept: 'application/json, text/plain', ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal,
    })
    return { status: response.status, text: await readText(response) }
  } catch {
    // Refused connections, invalid responses and timeouts are treated alike. The URL may be secret, so it is
    // not logged.
    return undefined
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    if (text.length > MAX_STORED_ANSWER) throw new Error('the response is too long')
  }
  return text
}
