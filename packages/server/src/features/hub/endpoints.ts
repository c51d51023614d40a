/** The hub URL that clients request, and the endpoint that describes the hub to its author. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import * as shape from '../../api/shapes.ts'
import { clientUrls, signedUrls } from '../executions/endpoints/addresses.ts'
import { answerInLua, isOpenedInBrowser, seePage } from '../executions/endpoints/lua-answers.ts'
import { DEMAND_DAYS, MAX_GAMES_A_DAY } from './demand.ts'
import { describeHub } from './describe-hub.ts'
import { hubText } from './hub.ts'

const GameId = (description: string, example: string) =>
  Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,19})$', description, examples: [example] }))

const address = endpoint({
  name: 'client.hub',
  summary: 'Retrieve the loader for a game',
  description:
    "Returns the loader of the project's script for this game: the script for the place, otherwise the script for the game, otherwise the default script. Without `place` and `game`, the response is a short Lua program that reads both from the host and sends them to this endpoint (with `cache`, if the host has files). If the project has only a default script, the response is that script's loader instead. For unsupported games and missing projects, the response is Lua code that raises an error.",
  example: { answer: 'local boot="lp1.8c1f03ab.q2V0c2VhbGVkYnl0ZXNvZnRoaXNleGVjdXRpb24" …' },
  method: 'GET',
  path: '/client/v1/hub/:project_id',
  auth: 'client',
  scope: null,
  params: Type.Object({
    project_id: Type.String({ description: 'project ID, optionally followed by .lua' }),
  }),
  query: Type.Object(
    {
      place: GameId('ID of the place that the client runs in. 0 if unknown', '920587237'),
      game: GameId('ID of the game (universe) that the client runs in. 0 if unknown', '383310974'),
      rt: Type.Optional(shape.LoaderRuntime),
      lang: Type.Optional(shape.LanguageTag),
      cache: Type.Optional(shape.CacheUse),
    },
    { additionalProperties: false },
  ),
  produces: 'text',
  response: Type.String({ description: 'Lua source in ASCII' }),
  async handle({ params, query, origin }, deps) {
    const projectId = params.project_id.replace(/\.lua$/, '')
    if (isOpenedInBrowser(origin.headers)) return seePage(projectId)
    const urls = { signed: signedUrls(deps.config, origin), own: clientUrls(deps.config, origin.headers) }
    const { place, game, rt: runtime, lang, cache } = query
    const request = { projectId, place, game, runtime, lang, cache, address: origin.address }
    return answerInLua(await hubText(deps, request, urls), 'project')
  },
})

const get = endpoint({
  name: 'v1.projects.hub',
  summary: "Retrieve a project's hub",
  description: `Returns the loader line to publish, the scripts with their places and games, and the unsupported games in which customers used this line in the last ${DEMAND_DAYS} days. Requests are counted within a few seconds. Once ${MAX_GAMES_A_DAY} games are listed for a day, requests from other games are only counted in \`other_requests\`. Games that a script now supports are left out.`,
  method: 'GET',
  path: '/v1/projects/:project_id/hub',
  auth: 'project',
  scope: 'scripts:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  response: Type.Object({
    success: shape.Yes,
    line: Type.String({
      description: 'Lua code for customers to paste below their key',
      examples: [
        'loadstring(game:HttpGet("https://ward.example.com/client/v1/hub/prj_0VMc4VLkH7rAbCdEfGhIjK"))()',
      ],
    }),
    targets: Type.Array(
      Type.Object({
        script_id: Type.String(),
        name: Type.String({ description: 'script name', examples: ['Farm'] }),
        enabled: Type.Boolean(),
        ...shape.targets,
      }),
      { description: 'scripts that have places or games, oldest first' },
    ),
    default: shape.nullable(
      Type.String({
        description: 'ID of the default script. Null if there is none',
        examples: ['scr_0VMc4VLkM2pQrStUvWxYzA'],
      }),
    ),
    demand: Type.Array(
      Type.Object({
        place_id: Type.String({ description: 'ID of the place. 0 if unknown', examples: ['606849621'] }),
        game_id: Type.String({
          description: 'ID of the game (universe). 0 if unknown',
          examples: ['245662005'],
        }),
        requests: Type.Integer({ description: 'number of requests', examples: [412] }),
        last_seen: Type.Integer({ description: 'time of the last request', examples: [1_790_000_000_000] }),
      }),
      { description: 'unsupported games, most requests first, at most 100' },
    ),
    other_requests: Type.Integer({
      description: 'number of requests from games beyond the daily limit',
      examples: [0],
    }),
  }),
  async handle({ subject, origin }, deps) {
    const [url = ''] = clientUrls(deps.config, origin.headers)
    return describeHub(deps, subject.project, url)
  },
})

export const hub: readonly Endpoint[] = [address, get]
