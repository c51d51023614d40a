/**
 * Checks whether a key is valid on a device, for software other than Lua scripts (client protocol §19). The
 * answer is signed to prevent forgery. Libraries that request and verify it are in `packages/client/check`.
 */
import { createHash } from 'node:crypto'
import { signCheck } from '@scriptward/client/check-answers'
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import { members, nullable } from '../../../api/shapes.ts'
import type { Deps } from '../../../deps.ts'
import { hashedDevice } from '../../devices/device-data.ts'
import { checkKey, describeCheck, findChecked } from '../key-checks.ts'

/**
 * Maximum body size in bytes. The largest valid body has about 1,000 bytes, even if each character of the key
 * is a six-character escape.
 */
const MAX_BODY_LENGTH = 4096

/** Allows pages on any site to send requests and read the signature. */
const FOR_PAGES = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'scriptward-signature',
}

export const check = [
  endpoint({
    name: 'client.check',
    summary: 'Check a key',
    description:
      "Checks whether a key is valid on a device, for shops, bots and programs that are not written in Lua. The project's `allow_checks` setting must be on. Before you trust the response, use the server's public keys to verify the signature in the `scriptward-signature` header, and check that `nonce` and `asked` match your request.",
    example: {
      body: {
        project_id: 'prj_0VMc4VLkH7rAbCdEfGhIjK',
        key: 'kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e',
        nonce: 'mR3sV8kZ1qW7xT5b',
      },
      answer:
        '{"success":true,"code":0,"reason":"valid","key_expires":1798761600000,"executions":86,"note":null,"bound":true,"details":null,"retry_after":null,"nonce":"mR3sV8kZ1qW7xT5b","asked":"q2V0c2VhbGVkYnl0ZXNvZnRoaXNleGVjdXRpb24aBc","st":1790000000000}',
    },
    method: 'POST',
    path: '/client/v1/check',
    auth: 'client',
    scope: null,
    body: members({
      project_id: Type.String(),
      key: Type.String({ maxLength: MAX_USER_KEY_LENGTH, pattern: '^[^\\u0000]*$' }),
      fingerprint: Type.Optional(
        nullable(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{22}$',
            description: "the device's machine_id component, 16 bytes in base64url",
          }),
        ),
      ),
      nonce: Type.String({
        pattern: '^[A-Za-z0-9_-]{16,64}$',
        description: 'random value chosen by the caller',
      }),
      claim: Type.Optional(
        Type.Boolean({ description: 'whether to bind the device if the key has none yet' }),
      ),
    }),
    bodyLimit: MAX_BODY_LENGTH,
    addressLimit: 'execFlood',
    consumes: 'anyJson',
    produces: 'text',
    namesNoun: true,
    response: Type.String({
      contentMediaType: 'application/json',
      description: 'response, with its signature in the scriptward-signature header (ed25519=<base64url>)',
    }),
    async handle({ body, origin }, deps) {
      const { fingerprint = null, claim = false, ...question } = body
      const answer = await answerCheck(deps, { ...question, fingerprint, claim }, origin.address)
      if (answer instanceof Refused) return answer
      const { text, signature } = answer
      const headers = { ...FOR_PAGES, 'scriptward-signature': `ed25519=${signature}` }
      return { status: 200, contentType: 'application/json; charset=utf-8', text, headers }
    },
  }),
]

type SoftwareCheck = {
  readonly project_id: string
  readonly key: string
  /** The device's `machine_id` component. Null if the software doesn't identify devices. */
  readonly fingerprint: string | null
  readonly nonce: string
  readonly claim: boolean
}

/** The exact signed text and its signature in base64url. */
type SignedAnswer = { readonly text: string; readonly signature: string }

async function answerCheck(
  deps: Deps,
  check: SoftwareCheck,
  address: string,
): Promise<SignedAnswer | Refused<'not_found'>> {
  const project = await findChecked(deps, check.project_id)
  if (project instanceof Refused) return project
  const { key, claim, fingerprint, nonce } = check
  const fp: Readonly<Record<string, string>> = fingerprint === null ? {} : { machine_id: fingerprint }
  const device = hashedDevice(deps.secrets.fingerprintPepper, fp)
  const verdict = await checkKey(deps, { project, key, fp, device, claim }, address)
  const answer = { ...describeCheck(deps, verdict), nonce, asked: digestOf(check), st: deps.now() }
  const text = JSON.stringify(answer)
  return { text, signature: signCheck(deps.secrets.server.signing.privateKey, text) }
}

/** Binds the answer to the request, so that it cannot be replayed for another key. */
function digestOf({ project_id, key, fingerprint, nonce }: SoftwareCheck): string {
  const text = ['lp1 asked', project_id, key, fingerprint ?? '', nonce].join('\0')
  return createHash('sha256').update(text).digest('base64url')
}
