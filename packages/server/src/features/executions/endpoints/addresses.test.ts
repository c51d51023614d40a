/**
 * Clients get the configured client protocol URLs or the URL that they called, but nothing unsafe from a
 * header.
 */
import { expect, it } from 'vitest'
import { readConfig } from '../../../config/config.ts'
import { clientUrls, signedUrls } from './addresses.ts'

const bare = readConfig({})

it.each([
  [
    'configured client URLs',
    { SCRIPTWARD_CLIENT_URL: 'https://a/c, https://b/c' },
    ['https://a/c', 'https://b/c'],
  ],
  [
    'a configured base URL',
    { SCRIPTWARD_BASE_URL: 'https://ward.example/' },
    ['https://ward.example/client/v1'],
  ],
])('the server uses %s whatever the Host header contains', (_, settings, urls) => {
  expect(clientUrls(readConfig(settings), { host: 'evil.example' })).toEqual(urls)
})

it.each(['ward.example', 'localhost:8081', '10.0.0.1:80', '[2001:db8::1]:8080'])(
  'without configuration the server uses the requested host %s',
  (host) => {
    expect(clientUrls(bare, { host })).toEqual([`http://${host}/client/v1`])
  },
)

it.each([undefined, '', 'a"b', 'a b', 'a/b', 'user@host', 'host:port', 'x'.repeat(300)])(
  'the server rejects %s as a host',
  (host) => {
    expect(clientUrls(bare, { host })).toEqual(['http://127.0.0.1:8080/client/v1'])
  },
)

const from = (address: string, headers = {}) => ({
  requestId: 'r',
  address,
  headers: { host: 'evil.example', ...headers },
})

it.each([
  ['a remote client', from('203.0.113.7')],
  ['a proxy on this machine', from('127.0.0.1', { 'x-forwarded-for': '203.0.113.7' })],
  ['a proxy with the standard header', from('::1', { forwarded: 'for=203.0.113.7' })],
])('the server signs only configured URLs for %s', (_, origin) => {
  expect(signedUrls(bare, origin)).toEqual([])
  const known = readConfig({ SCRIPTWARD_BASE_URL: 'https://ward.example' })
  expect(signedUrls(known, origin)).toEqual(['https://ward.example/client/v1'])
})

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'the server signs the requested URL for a client at %s',
  (address) => {
    expect(signedUrls(bare, from(address))).toEqual(['http://evil.example/client/v1'])
  },
)
