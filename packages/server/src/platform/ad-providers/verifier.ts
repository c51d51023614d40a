/**
 * The operator's own captcha verifier. It uses the protocol common to such services: the request is a form
 * with `secret`, `response` and `remoteip`, and `success` is true in the JSON response to a correct answer.
 */
import { memberOf } from './answers.ts'

/** Visitors are sent to `page` and return with the answer in the `captcha` query parameter. */
export type Verifier = { readonly page: string; readonly url: string; readonly secret: string }

const TIMEOUT_MS = 4000

/**
 * Returns false if the verifier rejects the answer or can't be reached, so that an outage doesn't bypass the
 * captcha.
 */
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
