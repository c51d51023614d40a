/**
 * The library for script hubs (client protocol, Library): its source, and key checks as POST or, for hosts
 * limited to GET, as a query.
 */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { endpoint, type Origin, type Text } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import { LanguageTag, LoaderRuntime } from '../../../api/shapes.ts'
import type { Deps } from '../../../deps.ts'
import { findLanguage } from '../../../pages/language.ts'
import { windowWords } from '../../../pages/window-words.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { answerLibraryCheck } from '../library-checks.ts'
import { libraryText } from '../library-text.ts'
import { windowText } from '../window-text.ts'
import { clientUrls } from './addresses.ts'
import { readTraits } from './client-traits.ts'

/** Maximum length in characters. It is the same for both methods, so that every request fits into a URL. */
const MAX_BODY_LENGTH = 4096

const ProjectId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'project ID' })
const Body = Type.String({
  minLength: 1,
  maxLength: MAX_BODY_LENGTH,
  description: 'the check as JSON, in base64url',
})
const Answer = Type.String({
  contentMediaType: 'application/json',
  description: 'response with its signature as the last field, `sig`',
})
const EXAMPLE =
  'eyJwcm9qZWN0X2lkIjoicHJqXzBWTWM0VkxrSDdyQWJDZEVmR2hJaksiLCJrZXkiOiJrUTdtWjJ4VjliVDRuUjh3THBZM3NENmZIakMxZ0E1ZSIsIm5vbmNlIjoibVIzc1Y4a1oxcVc3eFQ1YiIsInJ0IjoibHVhdSIsImhvc3QiOnsiZXhlY3V0b3IiOiJHYXJkZW4iLCJ2ZXJzaW9uIjoiMi4xIiwicGxhdGZvcm0iOiJnYW1lIn0sImZwIjp7fX0'
const ANSWER =
  '{"success":false,"code":10,"reason":"invalid_key","message":"This key is not valid for this script. Check script_key.","nonce":"mR3sV8kZ1qW7xT5b","st":1790000000000,"sig":"…"}'

export const library = [
  endpoint({
    name: 'client.library',
    summary: 'Retrieve the library for script hubs',
    description:
      "Returns Lua code that checks keys, remembers one, and runs the script for a game. The code contains the server's public keys and URLs, but no secrets, so it can be cached. With `project`, the library uses that project, unless the hub sets another one.",
    example: { answer: 'return(function(...) … end)({["urls"]={"https://ward.example.com/client/v1"}, … })' },
    method: 'GET',
    path: '/client/v1/library',
    auth: 'client',
    scope: null,
    query: Type.Object(
      {
        rt: Type.Optional(LoaderRuntime),
        project: Type.Optional(ProjectId),
      },
      { additionalProperties: false },
    ),
    compresses: 'answer',
    produces: 'text',
    response: Type.String({ description: 'library, as ASCII Lua source' }),
    async handle({ query, origin }, deps) {
      const limited = await limitAddress(deps, 'loader', origin.address)
      if (limited) return limited
      const urls = clientUrls(deps.config, origin.headers)
      const { rt: runtime = 'any', project } = query
      return cached(libraryText(deps, { runtime, urls, project }), origin.headers['if-none-match'])
    },
  }),
  endpoint({
    name: 'client.libraryWindow',
    summary: 'Retrieve the key window for script hubs',
    description:
      "Returns the Lua code for the key window of the script hub library, with the project's branding, in a single language. The library downloads this code only when a hub opens the window. The project's `allow_checks` setting must be on.",
    example: {
      query: { project: 'prj_0VMc4VLkH7rAbCdEfGhIjK', lang: 'de' },
      answer: 'return(function(...) … end)({["title"]="Garden", … },...)',
    },
    method: 'GET',
    path: '/client/v1/library/window',
    auth: 'client',
    scope: null,
    query: Type.Object(
      {
        project: ProjectId,
        lang: Type.Optional(LanguageTag),
      },
      { additionalProperties: false },
    ),
    compresses: 'answer',
    produces: 'text',
    namesNoun: true,
    response: Type.String({ description: 'key window, as ASCII Lua source' }),
    async handle({ query, origin }, deps) {
      const limited = await limitAddress(deps, 'loader', origin.address)
      if (limited) return limited
      const language = findLanguage(query.lang) ?? 'en'
      const text = await windowText(deps, query.project, windowWords(language))
      return text instanceof Refused ? text : cached(text, origin.headers['if-none-match'])
    },
  }),
  endpoint({
    name: 'client.libraryCheck',
    summary: 'Check a key from a script hub',
    description:
      "Checks a key on this device for the library for script hubs, without starting a run. Nothing is counted or bound. The project's `allow_checks` setting must be on. The response has the fields of `POST /client/v1/check`, the message and link that a denied run would show, and the URL of the get-key page. Its signature is inside the JSON, because some hosts cannot read headers.",
    example: { body: EXAMPLE, answer: ANSWER },
    method: 'POST',
    path: '/client/v1/library/check',
    auth: 'client',
    scope: null,
    body: Body,
    bodyLimit: MAX_BODY_LENGTH,
    addressLimit: 'execFlood',
    consumes: 'text',
    produces: 'text',
    namesNoun: true,
    response: Answer,
    handle: ({ body, origin }, deps) => answer(deps, body, origin),
  }),
  endpoint({
    name: 'client.libraryCheckByQuery',
    summary: 'Check a key from a script hub with GET',
    description: 'Use this with hosts that do not support POST: send the same body in the query string.',
    example: { query: { b: EXAMPLE }, answer: ANSWER },
    method: 'GET',
    path: '/client/v1/library/check',
    auth: 'client',
    scope: null,
    query: Type.Object({ b: Body }, { additionalProperties: false }),
    addressLimit: 'execFlood',
    produces: 'text',
    namesNoun: true,
    response: Answer,
    handle: ({ query, origin }, deps) => answer(deps, query.b, origin),
  }),
]

async function answer(
  deps: Deps,
  body: string,
  { address, headers }: Origin,
): Promise<Text | Refused<'not_found' | 'invalid_request'>> {
  const signed = await answerLibraryCheck(deps, body, { address, traits: readTraits(headers) })
  if (signed instanceof Refused) return signed
  const contentType = 'application/json; charset=utf-8'
  return { status: 200, contentType, text: signed, headers: { 'cache-control': 'no-store' } }
}

/** The ETag is weak because all encodings share it. */
function cached(text: string, known: string | string[] | undefined): Text {
  const etag = `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`
  const headers = { 'cache-control': 'public, max-age=300', etag }
  const isKnown = [known ?? []].flat().join(',').includes(etag)
  const contentType = 'text/plain; charset=us-ascii'
  return isKnown
    ? { status: 304, contentType, text: '', headers }
    : { status: 200, contentType, text, headers }
}
