/**
 * Endpoints that clients call on startup. They return a loader with a new boot record, a boot record for
 * loaders stored in a file, or the public keys. All of this is public. Whether the script may run is checked
 * later.
 */
import { Type } from 'typebox'
import { endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import { CacheUse, LoaderRuntime } from '../../../api/shapes.ts'
import { bootRecord, loaderText } from '../loaders.ts'
import { clientUrls, signedUrls } from './addresses.ts'
import { answerInLua, isOpenedInBrowser, seePage, text } from './lua-answers.ts'

const ScriptId = Type.String({ minLength: 1, maxLength: 64 })
const Key = Type.Object({
  kid: Type.String(),
  x25519: Type.String(),
  ed25519: Type.String(),
  not_after: Type.Union([Type.Integer(), Type.Null()]),
})

export const loader = [
  endpoint({
    name: 'client.loader',
    summary: 'Retrieve a loader',
    description:
      'Returns the Lua code that a loader line downloads and runs. It contains a boot record that is valid for one run, so do not cache it. Because some hosts only show Lua errors, a missing script is also reported as Lua code.',
    example: { answer: 'local boot="lp1.8c1f03ab.q2V0c2VhbGVkYnl0ZXNvZnRoaXNleGVjdXRpb24" …' },
    method: 'GET',
    path: '/client/v1/loader/:script_id',
    auth: 'client',
    scope: null,
    params: Type.Object({
      script_id: Type.String({ description: 'script ID, optionally followed by .lua' }),
    }),
    query: Type.Object(
      { rt: Type.Optional(LoaderRuntime), cache: Type.Optional(CacheUse) },
      { additionalProperties: false },
    ),
    produces: 'text',
    response: Type.String({ description: 'loader, as ASCII Lua source' }),
    async handle({ params, query, origin }, deps) {
      const scriptId = params.script_id.replace(/\.lua$/, '')
      if (isOpenedInBrowser(origin.headers)) return seePage(scriptId)
      const urls = clientUrls(deps.config, origin.headers)
      const signed = signedUrls(deps.config, origin)
      const download = { scriptId, urls: signed, address: origin.address }
      const { rt: runtime = 'any', cache } = query
      const source = await loaderText(deps, download, { urls, runtime, cache })
      return answerInLua(source)
    },
  }),
  endpoint({
    name: 'client.boot',
    summary: 'Retrieve a boot record',
    description:
      "Returns the boot record that a standalone loader file requests on every start. It contains the server's keys and URLs, is signed, and is valid for one run.",
    example: {
      query: { script: 'scr_0VMc4VLkM2pQrStUvWxYzA' },
      answer: '{"v":1,"script":"scr_0VMc4VLkM2pQrStUvWxYzA","kid":"8c1f03ab","sig":"…"}',
    },
    method: 'GET',
    path: '/client/v1/boot',
    auth: 'client',
    scope: null,
    query: Type.Object({ script: ScriptId }, { additionalProperties: false }),
    namesNoun: true,
    produces: 'text',
    response: Type.String({
      contentMediaType: 'application/json',
      description: 'signed boot record',
    }),
    async handle({ query, origin }, deps) {
      const urls = signedUrls(deps.config, origin)
      const boot = await bootRecord(deps, { scriptId: query.script, urls, address: origin.address })
      if (boot instanceof Refused) return boot
      return text(200, 'application/json; charset=utf-8', JSON.stringify(boot))
    },
  }),
  endpoint({
    name: 'client.keys',
    summary: 'Retrieve the public keys',
    description:
      'Returns the public keys that this server accepts and signs with, for software that pins them, such as key-check libraries. The first key is in use; a previous one is listed until its `not_after`.',
    method: 'GET',
    path: '/client/v1/keys',
    auth: 'client',
    scope: null,
    response: Type.Object({ success: Type.Literal(true), keys: Type.Array(Key) }),
    async handle(_, { secrets, now }) {
      return { keys: [...secrets.server.publicKeys(now()).keys] }
    },
  }),
]
