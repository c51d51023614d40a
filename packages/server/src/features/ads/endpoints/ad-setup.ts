/**
 * Endpoints for setting up ad systems: creating links through a provider's API, the self-test and the
 * preview.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { providerIds } from '../../../platform/ad-providers/list.ts'
import type { ProviderId } from '../../../platform/ad-providers/provider.ts'
import { PageLanguage, RenderedPage } from '../../projects/endpoints/rendered-page.ts'
import { createProviderLink } from '../provider-links.ts'
import { CHECKS, REASONS, RESULTS, testAdSystem } from '../self-test.ts'
import { previewAdSystem } from './ad-preview.ts'

const text = Type.String()
const Provider = Type.Unsafe<ProviderId>({ type: 'string', enum: [...providerIds] })
const AdSystemParams = Type.Object({ system_id: text })

const link = endpoint({
  name: 'v1.adCheckpoints.createLink',
  summary: 'Create a link with an ad provider',
  description:
    "Prepares the next checkpoint, and creates its link through the provider's API, with the checkpoint's callback URL as the destination. Pass the returned `url` when you create the checkpoint. Only providers whose `creates_links` is true support this. With LootLabs, you still have to enter `postback_url` in its panel.",
  example: {
    body: {
      provider: 'provider_b',
      provider_data: { api_token: 'f3a9c1e7b5d20846', unsigned_postbacks: true },
    },
    answer: {
      success: true,
      checkpoint_id: 'chk_0VMc4VLkW5tCdEfGhIjKlM',
      callback_id: 'Vq3mX8bT0cZ6nR1yP4kW7sD2fG5hJ9aL',
      postback_id: 'aL9jH5gF2dS7wK4pY1rN6zC0tB8xM3qV',
      callback_url: 'https://ward.example.com/ads/verify/Vq3mX8bT0cZ6nR1yP4kW7sD2fG5hJ9aL',
      postback_url: 'https://ward.example.com/ads/postback/aL9jH5gF2dS7wK4pY1rN6zC0tB8xM3qV',
      expires_at: 1_790_086_400_000,
      url: 'https://loot-link.com/s?Qo0f8kZ1',
    },
  },
  method: 'POST',
  path: '/v1/adsystems/:system_id/checkpoints/link',
  auth: 'adSystem',
  scope: 'ads:write',
  cost: 20,
  params: AdSystemParams,
  body: shape.members({
    provider: Provider,
    provider_data: Type.Unknown({ description: 'provider settings' }),
    ad_tier: shape.maybe(
      Type.Integer({
        minimum: 1,
        maximum: 3,
        description: 'which ads visitors see, from 1 (recommendations) to 3 (highest revenue). Default: 2',
      }),
    ),
    tasks: shape.maybe(
      Type.Integer({
        minimum: 1,
        maximum: 5,
        description: 'number of ads that visitors complete. Default: 3',
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    checkpoint_id: text,
    ...{ callback_id: text, postback_id: text, callback_url: text, postback_url: text },
    expires_at: Type.Integer(),
    url: text,
  }),
  failures: {
    max_checkpoints_reached: 0,
    account_expired: 1,
    invalid_provider_data: 2,
    provider_has_no_links: 3,
    provider_rejected: 4,
    provider_unavailable: 5,
  },
  handle: ({ subject, body: { provider, provider_data, ...others } }, deps) =>
    createProviderLink(deps, subject, { ...shape.given(others), provider, provider_data }),
})

const Outcome = {
  result: Type.Enum(RESULTS, { description: 'result of the check. A warning does not fail the test' }),
  reason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [...REASONS, null],
    description: 'reason for a failure or warning. Null otherwise',
  }),
}

const test = endpoint({
  name: 'v1.adSystems.test',
  summary: 'Test an ad system',
  description:
    "Simulates a visitor: for each checkpoint, checks that its link is allowed (`link`), that the provider accepts the settings and the visitor gets a URL (`departure`), and that someone who returns without seeing the ads is rejected (`bypass`). Then checks whether a key could be issued. The test calls the providers' APIs, but counts and changes nothing. It covers the first 20 checkpoints.",
  example: {
    answer: {
      success: true,
      test: {
        passed: false,
        steps: [
          {
            checkpoint_id: 'chk_0VMc4VLkW5tCdEfGhIjKlM',
            name: 'First link',
            provider: 'provider_a',
            checks: [
              { check: 'link', result: 'passed', reason: null },
              { check: 'departure', result: 'passed', reason: null },
              { check: 'bypass', result: 'failed', reason: 'settings_rejected' },
            ],
          },
        ],
        key: { result: 'passed', reason: null },
      },
    },
  },
  method: 'POST',
  path: '/v1/adsystems/:system_id/test',
  auth: 'adSystem',
  scope: 'ads:write',
  changes: false,
  cost: 20,
  params: AdSystemParams,
  response: Type.Object({
    success: shape.Yes,
    test: Type.Object({
      passed: Type.Boolean({ description: 'whether the test passed, which means that no check failed' }),
      steps: Type.Array(
        Type.Object({
          checkpoint_id: text,
          name: text,
          provider: Provider,
          checks: Type.Array(
            Type.Object({ check: Type.Enum(CHECKS, { description: 'what was checked' }), ...Outcome }),
            { description: 'checks, in the order a visitor reaches them' },
          ),
        }),
        { description: 'checkpoints, in the order visitors complete them' },
      ),
      key: Type.Object(Outcome, {
        description: 'whether a visitor who completed all checkpoints would get a key',
      }),
    }),
  }),
  handle: async ({ subject }, deps) => ({ test: await testAdSystem(deps, subject) }),
})

const preview = endpoint({
  name: 'v1.adSystems.preview',
  summary: 'Preview an ad system',
  description:
    "Renders the page where visitors start, with this ad system's checkpoints and its project's branding. `html` is a self-contained document that loads no other resources, so you can show it in a sandboxed frame.",
  method: 'GET',
  path: '/v1/adsystems/:system_id/preview',
  auth: 'adSystem',
  scope: 'ads:read',
  params: AdSystemParams,
  query: shape.members({
    language: Type.Optional(PageLanguage),
  }),
  response: RenderedPage,
  compresses: 'answer',
  handle: ({ subject, query: { language = 'en' } }, deps) => previewAdSystem(deps, subject, language),
})

export const adSetup: readonly Endpoint[] = [link, test, preview]
