/**
 * Simulates a visitor to an ad system, and their browser: cookies, IP address, and the forms and links on
 * each page.
 */

export type Shown = {
  readonly status: number
  /** URL of the page after all redirects. */
  readonly url: string
  readonly html: string
  readonly headers: Headers
}

export type Surroundings = { readonly address?: string; readonly agent?: string; readonly language?: string }

export class Visitor {
  readonly cookies = new Map<string, string>()
  address: string
  agent: string
  readonly #language: string

  constructor({ address = '203.0.113.7', agent = 'Browser/1', language = 'en' }: Surroundings = {}) {
    this.address = address
    this.agent = agent
    this.#language = language
  }

  headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const own = {
      'x-forwarded-for': this.address,
      'user-agent': this.agent,
      'accept-language': this.#language,
    }
    return cookie === '' ? own : { ...own, cookie }
  }

  /** Makes one request without following redirects. */
  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.headers(), ...(init.headers as Record<string, string>) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    return response
  }

  /** Follows redirects as a browser does. */
  async open(url: string, init: RequestInit = {}): Promise<Shown> {
    let at = url
    let response = await this.ask(at, init)
    for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 5; hops += 1) {
      at = new URL(response.headers.get('location') ?? '', at).href
      await response.arrayBuffer()
      response = await this.ask(at)
    }
    const { status, headers } = response
    return { status, url: at, html: await response.text(), headers }
  }

  /** Submits the form whose URL ends with `end`. `fields` override the form's own values. */
  async submit(page: Shown, end: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.open(...this.formOf(page, end, fields))
  }

  formOf(page: Shown, end: string, fields: Readonly<Record<string, string>> = {}): [string, RequestInit] {
    const form = formsOf(page.html).find(({ action }) => action.replace(/\?.*/, '').endsWith(end))
    if (form === undefined) throw new Error(`the page has no form to ${end}: ${textOf(page.html)}`)
    const body = new URLSearchParams({ ...form.fields, ...fields })
    return [new URL(form.action, page.url).href, { method: 'POST', body }]
  }

  /** The provider URL of the current step. */
  async leave(page: Shown, among: string = 'go/'): Promise<string> {
    const response = await this.ask(continueUrl(page, among))
    if (response.status !== 302) throw new Error(`the way out leads nowhere: ${response.status}`)
    return response.headers.get('location') ?? ''
  }

  /** Completes the provider's ad page, and returns the URL that it redirects the visitor to. */
  async watch(location: string): Promise<string> {
    const headers = { 'x-forwarded-for': this.address }
    const page = await (await fetch(location, { headers })).text()
    const [form] = formsOf(page)
    const answer = await fetch(new URL(form?.action ?? '', location), {
      ...{ method: 'POST', headers, redirect: 'manual' },
    })
    return answer.headers.get('location') ?? ''
  }
}

export function continueUrl(page: Shown, among: string = 'go/'): string {
  const link = [...page.html.matchAll(/<a class="button[^"]*" href="([^"]*)"/g)]
    .map(([, href = '']) => unescaped(href))
    .find((href) => href.includes(among))
  if (link === undefined) throw new Error(`the page leads nowhere: ${textOf(page.html)}`)
  return new URL(link, page.url).href
}

/** The visible text of a page. */
export function textOf(html: string): string {
  const body = html.replace(/^[\s\S]*<main>/, '').replace(/<noscript>[\s\S]*?<\/noscript>/g, ' ')
  return unescaped(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

export function keyOf({ html }: Shown): string {
  const [, key] = /<code[^>]*>([A-Za-z0-9-]{29,32})<\/code>/.exec(html) ?? []
  if (key === undefined) throw new Error(`the page shows no key: ${textOf(html)}`)
  return key
}

type Form = { readonly action: string; readonly fields: Record<string, string> }

function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action = '', inner = '']) => ({
      action: unescaped(action),
      fields: Object.fromEntries(
        [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
          ([, name = '', value = '']) => [unescaped(name), unescaped(value)],
        ),
      ),
    }),
  )
}

const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => SIGNS[name] ?? '')
}
