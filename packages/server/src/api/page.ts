/**
 * The type of a page: a URL that people open in a browser. Pages are declared like endpoints but are not part
 * of the API: they accept forms instead of JSON and respond with HTML, even for errors. Nothing here depends
 * on an HTTP library.
 */
import type { Readable } from 'node:stream'
import type { Deps } from '../deps.ts'
import type { Language } from '../pages/language.ts'
import type { Origin } from './endpoint.ts'

type Texts = Readonly<Record<string, string>>

export type PageRequest = {
  readonly params: Texts
  /** Contains only the first value of each repeated parameter. */
  readonly query: Texts
  /** The fields of a submitted form; empty for a GET. */
  readonly form: Texts
  readonly cookies: Texts
  readonly language: Language
  /** Path of this page's assets relative to its URL, such as `../assets/`. */
  readonly assets: string
  /** True if the browser reports that another site sent this request. */
  readonly isForeign: boolean
  readonly origin: Origin
}

export type PageAnswer = {
  readonly status: number
  /** A Buffer for an image, a stream for a file. */
  readonly text: string | Buffer | Readable
  /** Defaults to HTML. */
  readonly contentType?: string
  /** The accent color of the page's project. */
  readonly accent?: string | null | undefined
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export type Page = {
  /** Identifies the page in tests and in the list of pages. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** `:noun` marks a parameter. */
  readonly path: string
  /** Directory of the page's group, with a trailing slash. The main page of `/me/` is `/me`. */
  readonly base: string
  /** The page is the same for all visitors and contains no secrets, so long responses are compressed. */
  readonly isPublic?: true
  handle(request: PageRequest, deps: Deps): Promise<PageAnswer>
}

/** Redirects the browser. The location is absolute, or relative to the requested URL. */
export function seeOther(location: string, headers: PageAnswer['headers'] = {}): PageAnswer {
  return { status: 303, text: '', headers: { ...headers, location } }
}
