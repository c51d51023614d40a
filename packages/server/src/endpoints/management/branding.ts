/** How a project looks to its visitors, on the pages of ad systems and on the self-service page. */
import { Type } from 'typebox'
import { editBranding, getBranding, MAX_LINKS, MAX_SHOWN_SCRIPTS } from '../../domain/projects/branding.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_PIXELS, MIN_LOGO_PIXELS } from '../../domain/projects/logo.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const path = '/v1/projects/:project_id/branding'

const Link = Type.Object(
  {
    title: Type.String({ ...shape.Name, description: 'what visitors read', examples: ['Our chat'] }),
    url: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'an https address of at most 500 characters',
      examples: ['https://chat.example.com/garden'],
    }),
  },
  { additionalProperties: false },
)
const Links = Type.Array(Link, { maxItems: MAX_LINKS, description: 'all links, in their order' })
const ScriptIds = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: MAX_SHOWN_SCRIPTS,
  description: 'ids of scripts of the project in the order in which they are shown; for all_scripts: false',
})

const members = {
  name: shape.maybe(
    Type.String({
      maxLength: 100,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description:
        'shown instead of the name of the project: at most 100 characters without control characters; the empty text takes it away',
      examples: ['Garden'],
    }),
  ),
  accent: shape.maybe(
    Type.String({
      maxLength: 7,
      pattern: '^(#[0-9a-fA-F]{6})?$',
      description:
        'a colour such as #1f5fd0; pages derive shades of it that can be read in light and dark. The empty text takes it away',
      examples: ['#1f5fd0'],
    }),
  ),
  logo: shape.maybe(
    Type.String({
      description: `a PNG or WebP image in base64, without animation: at most ${MAX_LOGO_BYTES} bytes, ${MIN_LOGO_PIXELS} to ${MAX_LOGO_PIXELS} pixels wide and high; the empty text takes it away`,
    }),
  ),
  links: shape.maybe(Links),
  all_scripts: shape.maybe(
    Type.Boolean({ description: 'whether visitors see all scripts that are enabled' }),
  ),
  scripts: shape.maybe(ScriptIds),
}

const Logo = Type.Object({
  path: Type.String({
    description:
      'where everybody can load it, below the address of the service; another image has another path',
    examples: ['/me/assets/logo.5Jr1rS1gC4b8cXQ0nTtJ3w.png'],
  }),
  type: Type.String({ description: 'image/png or image/webp', examples: ['image/png'] }),
  width: Type.Integer({ description: 'in pixels', examples: [256] }),
  height: Type.Integer({ description: 'in pixels', examples: [256] }),
})
const Branding = Type.Object({
  name: shape.nullable(
    Type.String({ description: 'null: visitors see the name of the project', examples: ['Garden'] }),
  ),
  accent: shape.nullable(
    Type.String({ description: 'null: the colour of the service', examples: ['#1f5fd0'] }),
  ),
  links: Links,
  all_scripts: Type.Boolean({ description: 'whether visitors see all scripts that are enabled' }),
  scripts: Type.Array(Type.String(), {
    description: 'ids of the scripts that visitors see otherwise, in this order; removed ones are gone',
  }),
  logo: shape.nullable(Logo),
})

const get = endpoint({
  name: 'v1.branding.get',
  summary:
    'Get how a project looks to its visitors, on the pages of ad systems and on the self-service page.',
  method: 'GET',
  path,
  auth: 'project',
  scope: 'projects:read',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, branding: Branding }),
  failures: {},
  async handle({ subject }, deps) {
    return { branding: await getBranding(deps, subject) }
  },
})

const edit = endpoint({
  name: 'v1.branding.edit',
  summary:
    'Edit how a project looks to its visitors: members that are absent or null stay, an empty text takes a name, a colour or the logo away.',
  method: 'POST',
  path: `${path}/edit`,
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members(members),
  response: Type.Object({ success: shape.Yes, branding: Branding }),
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, body }, deps) {
    const branding = await editBranding(deps, subject, shape.given(body))
    return branding instanceof Refused ? branding : { branding }
  },
})

export const branding: readonly Endpoint[] = [get, edit]
