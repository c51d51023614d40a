/**
 * A static link. The visitor returns with a one-time token, which is verified through the provider's API.
 *
 * This is the API of Linkvertise's anti-bypass: `POST /api/v1/anti_bypassing` with the publisher's `token`
 * and the visitor's `hash` of 64 characters, which is valid for ten seconds. Sources: the comparison at
 * `blog.work.ink/migrating-from-the-linkvertise-anti-bypass-system-to-the-work-ink-key-system`, and public
 * clients.
 */
import { Type } from 'typebox'
import type { AdProvider, Verdict } from './provider.ts'
import { ProviderDown } from './provider-down.ts'
import { secretText } from './settings.ts'

export const providerA: AdProvider = {
  id: 'provider_a',
  about: "Create a link on the ad network with the checkpoint's callback URL as its destination.",
  dataSchema: Type.Object(
    {
      token: secretText(16, 128, "the publisher's token"),
      param: Type.String({
        pattern: '^[A-Za-z0-9_-]{1,32}$',
        default: 'hash',
        description: '1 to 32 letters, digits, - or _',
      }),
    },
    { additionalProperties: false },
  ),
  settings: [
    {
      id: 'token',
      name: 'Publisher token',
      type: 'text',
      info: 'Token from your ad network account, used to verify visits.',
      required: true,
    },
    {
      id: 'param',
      name: 'Parameter',
      type: 'text',
      info: 'Query parameter that carries the one-time token. Usually "hash".',
      required: false,
    },
  ],
  secrets: ['token'],
  minimumMs: 10_000,
  timeoutMs: 3000,
  // Tokens are valid for ten seconds after the visitor is sent back.
  totalMs: 8000,
  hasState: () => false,
  needsPostback: () => false,
  tokenIn(query, data) {
    const token = query[String(data.param)] ?? ''
    return TOKEN.test(token) ? token : undefined
  },
  leave: async ({ link }) => ({ location: link }),
  forgeToken: (random) => random.toString('hex').slice(0, 64),
  async confirm({ data }, token, ask) {
    const query = new URLSearchParams({ token: String(data.token), hash: token })
    const { text } = await ask({ method: 'POST', path: `/api/v1/anti_bypassing?${query}` })
    return verdictOf(text.trim().toLowerCase())
  },
}

const TOKEN = /^[A-Za-z0-9]{32,128}$/

/** API clients disagree on whether the API responds with a word or with JSON. */
function verdictOf(text: string): Verdict {
  if (text.includes('invalid token')) return { verdict: 'misconfigured' }
  if (/^"?true"?$/.test(text) || /"(status|success|valid)"\s*:\s*"?true/.test(text))
    return { verdict: 'passed' }
  if (/^"?false"?$/.test(text) || /"(status|success|valid)"\s*:\s*"?false/.test(text))
    return { verdict: 'not_verified' }
  throw new ProviderDown()
}
