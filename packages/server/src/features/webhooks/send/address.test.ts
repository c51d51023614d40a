/** Webhook URLs that are rejected, in every spelling that resolves to the same host. */
import { describe, expect, it } from 'vitest'
import { type AddressRules, isBlocked, isChatAddress, readAddress } from './address.ts'

const STRICT: AddressRules = {
  webhookAllowCidr: [],
  webhookAllowHttp: false,
  webhookChatHosts: ['chat.example'],
}
const LOOSE: AddressRules = {
  ...STRICT,
  webhookAllowCidr: ['127.0.0.0/8', 'fd00::/8'],
  webhookAllowHttp: true,
}

describe('for webhooks,', () => {
  it.each([
    'https://example.com/hook?a=1',
    'https://example.com:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://xn--bcher-kva.example/',
  ])('%s is accepted', (text) => {
    expect(readAddress(text, STRICT)).toBeInstanceOf(URL)
  })

  it.each([
    ['', 'must be a URL'],
    ['example.com/hook', 'must be a URL'],
    ['https://', 'must be a URL'],
    [`https://example.com/${'x'.repeat(2048)}`, 'must be a URL'],
    ['http://example.com/', 'must start with https://'],
    ['ftp://example.com/', 'must start with https://'],
    ['file:///etc/passwd', 'must start with https://'],
    ['https://user@example.com/', 'must not contain a user name'],
    ['https://:secret@example.com/', 'must not contain a user name'],
    ['https://example.com/#', 'must not contain a fragment'],
    ['https://example.com/\nhook', 'must not contain control characters'],
    ['https://exam\tple.com/hook', 'must not contain control characters'],
    ['https://example.com/hook\r\n', 'must not contain control characters'],
    ['https://example.com:22/', 'must use the default port'],
    ['https://example.com:80/', 'must use the default port'],
  ])('%s is rejected: %s', (text, words) => {
    expect(readAddress(text, STRICT)).toContain(words)
  })

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://0/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://172.31.255.255/',
    'https://192.0.0.8/',
    'https://192.168.1.1/',
    'https://198.19.255.255/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[200::1]/',
    'https://[5f00::1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:7f00:1::]/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://[ff02::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
  ])('%s is rejected as not public', (text) => {
    expect(readAddress(text, STRICT)).toContain('must point to a public host')
  })

  it('a private IP address is accepted only in a network that the operator allows', () => {
    for (const text of [
      'http://127.0.0.1:9000/',
      'http://localhost:9000/',
      'https://[fd12::1]/',
      'https://[::ffff:127.0.0.1]/',
    ])
      expect(readAddress(text, LOOSE), text).toBeInstanceOf(URL)
    for (const text of ['http://10.0.0.1:9000/', 'https://[::1]/', 'https://[fe80::1]/'])
      expect(readAddress(text, LOOSE), text).toContain('must point to a public host')
  })

  it('an IP address that is not public is also rejected as a DNS response', () => {
    expect(isBlocked('::ffff:192.168.0.1', STRICT)).toBe(true)
    expect(isBlocked('1.1.1.1', STRICT)).toBe(false)
  })

  it.each([
    'https://chat.example/api/webhooks/123/abc/slack',
    'https://chat.example/api/webhooks/123/abc/github',
    'https://chat.example/api/v10/webhooks/123/abc/',
    'https://chat.example/api/webhooks/123',
    'https://chat.example/api/webhooks/abc/def',
  ])('%s is rejected, because Discord accepts no generic messages there', (text) => {
    expect(readAddress(text, STRICT)).toContain('must end with the token')
    expect(readAddress(text, { ...STRICT, webhookChatHosts: [] })).toBeInstanceOf(URL)
  })

  it('a URL of Discord is recognized by host and path', () => {
    const isChat = (text: string) => isChatAddress(new URL(text), STRICT)
    expect(isChat('https://chat.example/api/webhooks/123/abc-DEF_1')).toBe(true)
    expect(isChat('https://chat.example/api/v10/webhooks/123/abc')).toBe(true)
    for (const text of [
      'https://chat.example/api/webhooks/abc/def',
      'https://chat.example/api/webhooks/123/abc/extra',
      'https://chat.example.evil/api/webhooks/123/abc',
      'https://evil.example/api/webhooks/123/abc',
    ])
      expect(isChat(text), text).toBe(false)
  })
})
