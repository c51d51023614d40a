/** Maps requested paths to pages, by host. */
import { describe, expect, it } from 'vitest'
import { adsRewrite } from './pages.ts'

describe('the pages of ad systems', () => {
  const asked = (config: { adsUrl?: string; baseUrl?: string }, host: string, url: string) =>
    adsRewrite({ adsUrl: config.adsUrl, baseUrl: config.baseUrl })?.({ url, headers: { host } }) ?? url

  const ownHost = { adsUrl: 'https://ads.example.com', baseUrl: 'https://example.com' }
  const ownPath = { adsUrl: 'https://example.com/keys', baseUrl: 'https://example.com' }

  it.each([
    [ownHost, 'ads.example.com', '/Free?lang=de', '/ads/Free?lang=de'],
    [ownHost, 'ADS.example.com', '/verify/abc?hash=1', '/ads/verify/abc?hash=1'],
    [ownHost, 'ads.example.com', '/ads/Free', '/ads/Free'],
    [ownHost, 'example.com', '/v1/adsystems', '/v1/adsystems'],
    [ownPath, 'example.com', '/keys/Free', '/ads/Free'],
    [ownPath, 'example.com', '/keysmith', '/keysmith'],
    [ownPath, 'example.com', '/v1/adsystems', '/v1/adsystems'],
    [ownPath, 'other.example', '/keys/Free', '/keys/Free'],
    [{ adsUrl: 'https://example.com', baseUrl: 'https://example.com' }, 'example.com', '/v1/x', '/v1/x'],
    [{}, 'example.com', '/Free', '/Free'],
  ])('are found with %o on %s at %s', (config, host, url, path) => {
    expect(asked(config, host, url)).toBe(path)
  })
})
