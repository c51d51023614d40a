/**
 * What a page is: an address that people open in a browser. Pages are declared like endpoints but are not part of the API:
 * they take forms instead of JSON and answer HTML, also for errors. Nothing here depends on an HTTP library.
 */
import type { Deps } from '../deps.ts'
import type { Language } from '../pages/language.ts'
import type { Origin } from './endpoint.ts'

type Texts = Readonly<Record<string, string>>

export type PageRequest = {
  readonly params: Texts
  /** Of a member that was given more than once, the first. */
  readonly query: Texts
  /** The fields of a form that was sent as such; empty for a GET. */
  readonly form: Texts
  readonly cookies: Texts
  readonly language: Language
  /** Where the assets of this page are, relative to its address, such as `../assets/`. */
  readonly assets: string
  /** The browser says that another site sent this request. */
  readonly isForeign: boolean
  readonly origin: Origin
}

export type PageAnswer = {
  readonly status: number
  /** Or the bytes of an image. */
  readonly text: string | Buffer
  /** HTML, if it says nothing else. */
  readonly contentType?: string
  /** The colour of the project whose page this is. */
  readonly accent?: string | null | undefined
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export type Page = {
  /** For tests and for people who read the list. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** `:noun` marks a parameter. */
  readonly path: string
  /** The folder of the pages that it belongs to, with a slash at its end; the page at the top of `/me/` is `/me`. */
  readonly base: string
  /** The same for all visitors and without secrets: a long answer is compressed. */
  readonly isPublic?: true
  handle(request: PageRequest, deps: Deps): Promise<PageAnswer>
}

/** Sends the browser on; the address is relative to the one that was asked for, or absolute. */
export function seeOther(location: string, headers: PageAnswer['headers'] = {}): PageAnswer {
  return { status: 303, text: '', headers: { ...headers, location } }
}
