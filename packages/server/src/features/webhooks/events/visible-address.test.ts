/** The part of a webhook URL that callers without write permission can see. */
import { expect, it } from 'vitest'
import { maskAddress, visibleText } from './visible-address.ts'

it.each([
  ['https://discord.com/api/webhooks/1234567890/T0kEn-_x', 'https://discord.com/api/•••'],
  ['https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX', 'https://hooks.slack.com/services/•••'],
  ['https://hooks.example.com/s3cret', 'https://hooks.example.com/•••'],
  ['https://hooks.example.com/secret', 'https://hooks.example.com/•••'],
  ['https://hooks.example.com/secret/', 'https://hooks.example.com/•••'],
  ['https://hooks.example.com/a1b2c3d4/keys', 'https://hooks.example.com/•••'],
  ['https://hooks.example.com/?token=secret', 'https://hooks.example.com/•••'],
  ['https://user:secret@hooks.example.com/api/x', 'https://hooks.example.com/api/•••'],
  ['https://hooks.example.com:8443/keys/x#secret', 'https://hooks.example.com:8443/keys/•••'],
  ['not an address', '•••'],
])('%s is shown as %s', (address, shown) => {
  expect(maskAddress(address)).toBe(shown)
})

const READER = { scopes: new Set<string>() }
const WRITER = { scopes: new Set(['webhooks:write']) }
const CHAT = 'https://discord.com/api/webhooks/1234567890/T0kEn-_x'

it.each([
  ['POST https://discord.com/api/webhooks/1234567890/T0kEn-_x', 'POST https://discord.com/api/•••', CHAT],
  ['No /api/webhooks/1234567890/T0kEn-_x here', 'No /api/•••/•••/••• here', CHAT],
  ['{"path":"\\/api\\/webhooks\\/1234567890\\/T0kEn-_x"}', '{"path":"\\/api\\/•••\\/•••\\/•••"}', CHAT],
  ['cut in /webhooks/1234567890/T0kEn', 'cut in /•••/•••/•••', CHAT],
  ['wrong token s3cret!', 'wrong token •••', 'https://hooks.example.com/?token=s3cret%21'],
  ['s3cret is unknown', '••• is unknown', 'https://hooks.example.com/s3cret'],
  ['try again later', 'try again later', CHAT],
])('the response %s is shown as %s', (answer, shown, address) => {
  expect(visibleText(answer, address, READER)).toBe(shown)
  expect(visibleText(answer, address, WRITER)).toBe(answer)
})
