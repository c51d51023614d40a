/** A link whose destination is encrypted for each visitor, confirmed by a postback of the provider. */
import { Type } from 'typebox'
import { memberOf, withQuery } from './answers.ts'
import type { AdProvider } from './provider.ts'
import { ProviderDown } from './provider-down.ts'
import { checkIp, checkIpSetting, secretText } from './settings.ts'

export const providerB: AdProvider = {
  id: 'provider_b',
  about: 'Make a link at the provider and give it the postback address of the checkpoint.',
  dataSchema: Type.Object(
    {
      api_token: secretText(16, 256, 'the token of the interface'),
      require_postback: Type.Boolean({ default: true, description: 'true or false' }),
      postback_secret: Type.Unsafe<string | null>({
        ...secretText(16, 128, 'null or the secret of postbacks'),
        type: ['string', 'null'],
        default: null,
      }),
      check_ip: checkIp,
    },
    { additionalProperties: false },
  ),
  settings: [
    {
      id: 'api_token',
      name: 'API token',
      type: 'text',
      info: 'The token with which the provider encrypts destinations for you.',
      required: true,
    },
    {
      id: 'require_postback',
      name: 'Require the postback',
      type: 'toggle',
      info: 'A visitor has passed only when the provider itself has said so; leave it on.',
      required: false,
    },
    {
      id: 'postback_secret',
      name: 'Postback secret',
      type: 'text',
      info: 'With a secret, postbacks must be signed with it. Without one, anyone who learns the postback address can confirm their own visits: leave it empty only if the provider signs nothing.',
      required: false,
    },
    checkIpSetting,
  ],
  secrets: ['api_token', 'postback_secret'],
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
    // Without the encrypted destination the visitor would watch ads for nothing.
    if (status >= 300 || typeof message !== 'string' || message === '' || memberOf(text, 'type') === 'error')
      throw new ProviderDown()
    return { location: withQuery(link, `puid=${clickId}&data=${encodeURIComponent(message)}`) }
  },
  // What the provider has to say comes by its postback.
  confirm: async () => ({ verdict: 'passed' }),
}
