/** The address that a client gets: what is configured, else how it came, and never what a header could smuggle in. */
import { expect, it } from 'vitest'
import { readConfig } from '../../../config/config.ts'
import { clientUrls, signedUrls } from './addresses.ts'

const bare = readConfig({})

it.each([
  ['client addresses', { SCRIPTWARD_CLIENT_URL: 'https://a/c, https://b/c' }, ['https://a/c', 'https://b/c']],
  ['a base address', { SCRIPTWARD_BASE_URL: 'https://ward.example/' }, ['https://ward.example/client/v1']],
])('%s of the configuration hold, whatever the caller says', (_, settings, urls) => {
  expect(clientUrls(readConfig(settings), { host: 'evil.example' })).toEqual(urls)
})

it.each(['ward.example', 'localhost:8081', '10.0.0.1:80', '[2001:db8::1]:8080'])(
  'else %s as it was called',
  (host) => {
    expect(clientUrls(bare, { host })).toEqual([`http://${host}/client/v1`])
  },
)

it.each([undefined, '', 'a"b', 'a b', 'a/b', 'user@host', 'host:port', 'x'.repeat(300)])(
  '%s is no host',
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
  ['an address elsewhere', from('203.0.113.7')],
  ['a proxy on this machine', from('127.0.0.1', { 'x-forwarded-for': '203.0.113.7' })],
  ['a proxy that speaks the standard', from('::1', { forwarded: 'for=203.0.113.7' })],
])('for %s only what is configured is signed', (_, origin) => {
  expect(signedUrls(bare, origin)).toEqual([])
  const known = readConfig({ SCRIPTWARD_BASE_URL: 'https://ward.example' })
  expect(signedUrls(known, origin)).toEqual(['https://ward.example/client/v1'])
})

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('a client at %s is signed what it called', (address) => {
  expect(signedUrls(bare, from(address))).toEqual(['http://evil.example/client/v1'])
})
