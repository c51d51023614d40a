/**
 * A static link. The visitor returns with a token, which the provider's public API verifies.
 *
 * This is the API of Work.ink's key system: `/_api/v2/token/isValid/` with `deleteToken`, as documented at
 * `blog.work.ink/using-the-key-system-to-make-money-with-your-software`, and `/_api/v2/override` for the
 * destination, at `blog.work.ink/how-to-override-link-destinations-on-the-fly`.
 */
import { Type } from 'typebox'
import { memberOf, timeOf, withQuery } from './answers.ts'
import type { AdProvider, Verdict, Visit } from './provider.ts'
import { ProviderDown } from './provider-down.ts'
import { checkIp, checkIpSetting } from './settings.ts'

const flag = Type.Boolean({ default: true, description: 'true or false' })

export const providerC: AdProvider = {
  id: 'provider_c',
  about:
    "Create a link on the ad network. As its destination, enter the checkpoint's callback URL followed by ?token={TOKEN}.",
  dataSchema: Type.Object(
    {
      link_id: Type.String({
        pattern: '^[0-9A-Za-z_-]{1,64}$',
        description: 'the link ID: 1 to 64 letters, digits, - or _',
      }),
      override: flag,
      delete_token: flag,
      check_ip: checkIp,
    },
    { additionalProperties: false },
  ),
  settings: [
    {
      id: 'link_id',
      name: 'Link ID',
      type: 'text',
      info: 'ID of your link. Tokens for other links are rejected.',
      required: true,
    },
    {
      id: 'override',
      name: 'Separate destination per visitor',
      type: 'toggle',
      info: "Gives each visitor their own destination, so that it can't be shared.",
      required: false,
    },
    {
      id: 'delete_token',
      name: 'Delete used tokens',
      type: 'toggle',
      info: 'The network deletes each token after checking it, so that it is valid for one visit only.',
      required: false,
    },
    checkIpSetting,
  ],
  secrets: [],
  minimumMs: 10_000,
  timeoutMs: 4000,
  totalMs: 8000,
  hasState: (data) => data.override === true,
  needsPostback: () => false,
  tokenIn: ({ token = '' }) => (TOKEN.test(token) ? token : undefined),
  async leave({ link, data, callback, state }, ask) {
    if (data.override !== true) return { location: link }
    const destination = encodeURIComponent(`${callback}?token={TOKEN}&s=${state}`)
    const { status, text } = await ask({
      method: 'GET',
      path: `/_api/v2/override?destination=${destination}`,
    })
    const sr = memberOf(text, 'sr')
    if (status >= 300 || typeof sr !== 'string' || sr === '') throw new ProviderDown()
    return { location: withQuery(link, `sr=${encodeURIComponent(sr)}`) }
  },
  forgeToken: (random) =>
    random.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
  async confirm(visit, token, ask) {
    const query = visit.data.delete_token === true ? '?deleteToken=1' : ''
    const { text } = await ask({ method: 'GET', path: `/_api/v2/token/isValid/${token}${query}` })
    return verdictOf(text, visit)
  },
}

const TOKEN = /^[0-9a-f-]{36}$/
/** Tolerance for clock differences with providers. */
const CLOCK_SLACK_MS = 5000

/**
 * The API accepts tokens from every publisher, so a valid token is accepted only if it belongs to this link.
 */
function verdictOf(text: string, { data, startedAt, now }: Visit): Verdict {
  const valid = memberOf(text, 'valid')
  if (typeof valid !== 'boolean') throw new ProviderDown()
  const info = JSON.stringify(memberOf(text, 'info') ?? {})
  const isOurs = String(memberOf(info, 'linkId')) === data.link_id
  const isFresh = timeOf(memberOf(info, 'createdAt')) >= startedAt - CLOCK_SLACK_MS
  const isAlive = timeOf(memberOf(info, 'expiresAfter')) > now
  if (!valid || !isOurs || !isFresh || !isAlive) return { verdict: 'not_verified' }
  const byIp = memberOf(info, 'byIp')
  return { verdict: 'passed', ...(typeof byIp === 'string' ? { address: byIp } : {}) }
}
