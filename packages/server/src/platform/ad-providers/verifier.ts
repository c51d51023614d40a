/**
 * The operator's own verifier of visitors. It is asked in the form that such services share: `secret`, `response` and
 * `remoteip` as a form, answered with JSON in which `success` is true.
 */
import { memberOf } from './answers.ts'

/** `page` leads visitors to it, who come back with the answer in the member `captcha` of the query. */
export type Verifier = { readonly page: string; readonly url: string; readonly secret: string }

const TIMEOUT_MS = 4000

/** False when it rejects the answer, and when it cannot be reached: a captcha must not pass because it fails. */
export async function askVerifier(
  { url, secret }: Verifier,
  { answer, address }: { readonly answer: string; readonly address: string },
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: answer, remoteip: address }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return response.ok && memberOf(await response.text(), 'success') === true
  } catch {
    return false
  }
}
