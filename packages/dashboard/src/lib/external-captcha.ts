/** The result of an external sign-up captcha. */
import { addressOf } from './address.ts'

let answer: string | undefined

/** Returns the result that the external captcha added to the URL. */
export function externalAnswer(): string | undefined {
  return answer
}

/** Returns the URL of the external captcha, which redirects back with `&captcha=`. */
export function pageOf(page: string): string {
  const back = `${location.origin}${location.pathname}?sign-up`
  return `${page}${page.includes('?') ? '&' : '?'}return=${encodeURIComponent(back)}`
}

/** Moves the captcha result out of the URL and continues the sign-up. */
export function takeExternalAnswer(): void {
  const query = new URLSearchParams(location.search)
  if (!query.has('sign-up')) return
  answer = query.get('captcha') ?? undefined
  history.replaceState(null, '', location.pathname + addressOf.signUp)
}
