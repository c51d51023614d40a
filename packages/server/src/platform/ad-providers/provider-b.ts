/**
 * A link whose destination is encrypted per visitor, confirmed by a postback from the provider.
 *
 * This is the API of LootLabs, as documented at `help.lootlabs.gg`: "LootLabs API Documentation"
 * (`/api/public/content_locker`), "LootLabs Redirect API" (`/api/public/url_encryptor`, `&data=`) and
 * "Postback API" (`&puid=`, `click_id`, `unique_id`, `ip`).
 */
import { Type } from 'typebox'
import { memberOf, withQuery } from './answers.ts'
import type { AdProvider } from './provider.ts'
import { ProviderDown } from './provider-down.ts'
import { checkIp, checkIpSetting, secretText } from './settings.ts'

const UNSIGNED =
  "is required while require_postback is true. Set the secret that the network signs its postbacks with, or set unsigned_postbacks to true if it can't sign them"

export const providerB: AdProvider = {
  id: 'provider_b',
  about: "Create a link on the ad network, and enter the checkpoint's postback URL there.",
  dataSchema: Type.Object(
    {
      api_token: secretText(16, 256, 'the API token'),
      require_postback: Type.Boolean({ default: true, description: 'true or false' }),
      postback_secret: Type.Unsafe<string | null>({
        ...secretText(16, 128, 'null or the postback secret'),
        type: ['string', 'null'],
        default: null,
      }),
      unsigned_postbacks: Type.Boolean({ default: false, description: 'true or false' }),
      check_ip: checkIp,
    },
    { additionalProperties: false },
  ),
  settings: [
    {
      id: 'api_token',
      name: 'API token',
      type: 'text',
      info: 'API token from your ad network account, used to encrypt link destinations.',
      required: true,
    },
    {
      id: 'require_postback',
      name: 'Require postback',
      type: 'toggle',
      info: 'Count a visit only after the network has confirmed it. Recommended.',
      required: false,
    },
    {
      id: 'postback_secret',
      name: 'Postback secret',
      type: 'text',
      info: 'Secret that the network signs postbacks with. Required while postbacks are required, unless you accept unsigned ones.',
      required: false,
    },
    {
      id: 'unsigned_postbacks',
      name: 'Accept unsigned postbacks',
      type: 'toggle',
      info: "Without a secret, anyone who learns the postback URL can confirm their own visits. Turn this on only if the network can't sign postbacks.",
      required: false,
    },
    checkIpSetting,
  ],
  secrets: ['api_token', 'postback_secret'],
  faultOf(data) {
    const isSafe = typeof data.postback_secret === 'string' || data.unsigned_postbacks === true
    return isSafe || data.require_postback !== true ? undefined : { member: 'postback_secret', fix: UNSIGNED }
  },
  minimumMs: 15_000,
  timeoutMs: 5000,
  totalMs: 10_000,
  hasState: () => true,
  needsPostback: (data) => data.require_postback === true,
  tokenIn: () => null,
  async leave({ link, data, callback, state, clickId }, ask) {
    const destination_url = `${callback}?s=${state}`
    const { status, text } = await ask({
      method: 'POST',
      path: '/api/public/url_encryptor',
      headers: { authorization: `Bearer ${data.api_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ destination_url }),
    })
    if (status === 401 || status === 403) return { failed: 'misconfigured' }
    const message = memberOf(text, 'message')
    // Without the encrypted destination, the visitor would view the ads for nothing.
    if (status >= 300 || typeof message !== 'string' || message === '' || memberOf(text, 'type') === 'error')
      throw new ProviderDown()
    return { location: withQuery(link, `puid=${clickId}&data=${encodeURIComponent(message)}`) }
  },
  async createLink({ title, destination: url, data, adTier, tasks }, ask) {
    const order = {
      title: [...title].slice(0, TITLE_LENGTH).join(''),
      url,
      tier_id: adTier,
      number_of_tasks: tasks,
    }
    const { status, text } = await ask({
      method: 'POST',
      path: '/api/public/content_locker',
      headers: { authorization: `Bearer ${data.api_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    const made = linkIn(text)
    if (status < 300 && made !== undefined) return { url: made }
    // The provider also rejects accounts whose creator details are incomplete.
    if (status >= 400 || memberOf(text, 'type') === 'error') return { failed: 'rejected' }
    throw new ProviderDown()
  },
  // The provider reports the result in its postback.
  confirm: async () => ({ verdict: 'passed' }),
}

const TITLE_LENGTH = 30

/** The documentation shows `message` as an object, but the API responds with a list of one object. */
function linkIn(text: string): string | undefined {
  const message = memberOf(text, 'message')
  const url = memberOf(JSON.stringify((Array.isArray(message) ? message[0] : message) ?? null), 'loot_url')
  return typeof url === 'string' && url !== '' ? url : undefined
}
