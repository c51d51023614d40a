/**
 * Simulates a browser without JavaScript: keeps cookies, follows redirects, and submits the forms on the
 * current page.
 */

export type Shown = {
  readonly status: number
  readonly url: string
  readonly text: string
  readonly headers: Headers
}

type Sent = { readonly form?: Readonly<Record<string, string>>; readonly headers?: Record<string, string> }

export class Surfer {
  readonly cookies = new Map<string, string>()
  /** Every received `Set-Cookie`, verbatim. */
  readonly setCookies: string[] = []
  /** Every requested URL. */
  readonly addresses: string[] = []
  page: Shown | undefined

  get shown(): Shown {
    if (this.page === undefined) throw new Error('no page was opened yet')
    return this.page
  }

  /** Follows redirects with GET. */
  async open(url: string, { form, headers = {} }: Sent = {}): Promise<Shown> {
    this.addresses.push(url)
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(url, { ...body, redirect: 'manual', headers: { ...headers, cookie } })
    for (const line of answer.headers.getSetCookie()) this.#keep(line)
    const location = answer.headers.get('location')
    if (location !== null) return this.open(new URL(location, url).href)
    this.page = { status: answer.status, url, text: await answer.text(), headers: answer.headers }
    return this.page
  }

  /** Submits the form that contains this text, with these fields filled in. */
  async submit(text: string, fields: Readonly<Record<string, string>> = {}, headers = {}): Promise<Shown> {
    const { action, hidden } = this.formWith(text)
    return this.open(new URL(action, this.page?.url).href, { form: { ...hidden, ...fields }, headers })
  }

  formWith(text: string): { readonly action: string; readonly hidden: Record<string, string> } {
    const form = [...(this.page?.text.matchAll(/<form [\s\S]*?<\/form>/g) ?? [])]
      .map(([one]) => one)
      .find((one) => one.includes(text))
    if (form === undefined) throw new Error(`no form with "${text}" on ${this.page?.url}: ${this.page?.text}`)
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    return {
      action: plainText(/action="([^"]*)"/.exec(form)?.[1] ?? ''),
      hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, plainText(value)])),
    }
  }

  #keep(line: string): void {
    this.setCookies.push(line)
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

/** Opens the customer page and enters the key. */
export async function visit({ url }: { readonly url: string }, key: string): Promise<Surfer> {
  const surfer = new Surfer()
  await surfer.open(`${url}/me`)
  await surfer.submit('name="key"', { key })
  return surfer
}

/** Decodes character references as a browser does. */
function plainText(text: string): string {
  const signs: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', middot: '·' }
  return text.replace(/&(?:#(\d+)|(amp|lt|gt|quot|middot));/g, (_, number?: string, name?: string) =>
    number === undefined ? (signs[name ?? ''] ?? '') : String.fromCodePoint(Number(number)),
  )
}
