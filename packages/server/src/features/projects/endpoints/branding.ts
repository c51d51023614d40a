/** How a project looks to its visitors, on the pages of ad systems and on the self-service page. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { LANGUAGES, type Language } from '../../../pages/language.ts'
import { PREVIEWS, type Preview, renderPreview } from '../../customer-page/pages/preview.ts'
import { clientUrls } from '../../executions/endpoints/addresses.ts'
import { MAX_SHOWN_SCRIPTS } from '../brand.ts'
import { draftBranding, editBranding, getBranding, MAX_LINKS } from '../branding.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_PIXELS, MIN_LOGO_PIXELS } from '../logo.ts'

const path = '/v1/projects/:project_id/branding'

/** A blue square. */
const EXAMPLE_LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGOQj79AEmIY1TCqYfhqAADf8k4Q0uiyngAAAABJRU5ErkJggg=='

const Link = Type.Object(
  {
    title: Type.String({
      ...shape.NAME,
      description: 'what visitors read',
      examples: ['Our chat'],
    }),
    url: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'an https address of at most 500 characters',
      examples: ['https://chat.example.com/garden'],
    }),
  },
  { additionalProperties: false },
)
const EXAMPLE_IDS = ['scr_0VMc4VLkM2pQrStUvWxYzA']
const Links = Type.Array(Link, {
  maxItems: MAX_LINKS,
  description: 'all links, in their order',
  examples: [[{ title: 'Our chat', url: 'https://chat.example.com/garden' }]],
})
const AllScripts = Type.Boolean({
  description: 'whether visitors see all scripts that are enabled, the first 100 of them',
  examples: [false],
})
const ScriptIds = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: MAX_SHOWN_SCRIPTS,
  examples: [EXAMPLE_IDS],
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
      examples: [EXAMPLE_LOGO],
    }),
  ),
  links: shape.maybe(Links),
  all_scripts: shape.maybe(
    Type.Boolean({ description: 'whether visitors see all scripts that are enabled' }),
  ),
  scripts: shape.maybe(ScriptIds),
}

const Logo = shape.named('Logo', {
  path: Type.String({
    description:
      'where everybody can load it, below the address of the service; another image has another path',
    examples: ['/me/assets/logo.5Jr1rS1gC4b8cXQ0nTtJ3w.png'],
  }),
  type: Type.String({ description: 'image/png or image/webp', examples: ['image/png'] }),
  width: Type.Integer({ description: 'in pixels', examples: [256] }),
  height: Type.Integer({ description: 'in pixels', examples: [256] }),
})
const Branding = shape.named('Branding', {
  name: shape.nullable(
    Type.String({ description: 'null: visitors see the name of the project', examples: ['Garden'] }),
  ),
  accent: shape.nullable(
    Type.String({ description: 'null: the colour of the service', examples: ['#1f5fd0'] }),
  ),
  links: Links,
  all_scripts: AllScripts,
  scripts: Type.Array(Type.String(), {
    description: 'ids of the scripts that visitors see otherwise, in this order; removed ones are gone',
    examples: [EXAMPLE_IDS],
  }),
  logo: shape.nullable(Logo),
})

const get = endpoint({
  name: 'v1.branding.get',
  summary:
    'Get how a project looks to its visitors, on the pages of ad systems and on the self-service page.',
  description:
    'What visitors see of a project on its ad pages and on the page of a user: name, logo, accent colour, links, and which scripts are shown. A project that was never branded answers the defaults. The path of the logo is public and never changes for the same image.',
  method: 'GET',
  path,
  auth: 'project',
  scope: 'projects:read',
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, branding: Branding }),
  async handle({ subject }, deps) {
    return { branding: await getBranding(deps, subject) }
  },
})

const edit = endpoint({
  name: 'v1.branding.edit',
  summary:
    'Edit how a project looks to its visitors: members that are absent or null stay, an empty text takes a name, a colour or the logo away.',
  description:
    'Changes only what is sent and answers the whole branding as it is then. An empty text takes a name, colour or logo away. Logos are PNG or WebP images in base64, still, at most 64 KiB and 16 to 1024 pixels wide and high. Visitors see the change with their next page.',
  method: 'POST',
  path: `${path}/edit`,
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  body: shape.members(members),
  response: Type.Object({ success: shape.Yes, branding: Branding }),
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, body }, deps) {
    const branding = await editBranding(deps, subject, shape.given(body))
    return branding instanceof Refused ? branding : { branding }
  },
})

const preview = endpoint({
  name: 'v1.branding.preview',
  summary:
    'Render a page with sample content as visitors would see it after an edit, which is not saved: one HTML document that loads nothing.',
  description:
    'Draws a page for visitors with the given branding, and changes nothing: what is absent is as it is stored. The answer is a whole HTML document with its style and image inside, for a frame without rights.',
  method: 'POST',
  path: `${path}/preview`,
  auth: 'project',
  scope: 'projects:read',
  changes: false,
  params: shape.ProjectParams,
  body: shape.members({
    ...members,
    page: Type.Optional(
      Type.Unsafe<Preview['page']>({
        type: 'string',
        enum: [...PREVIEWS],
        description:
          'ads: the start of an ad system, which it is unless given; key: an earned key; me: the self-service page',
        examples: ['me'],
      }),
    ),
    language: Type.Optional(
      Type.Unsafe<Language>({
        type: 'string',
        enum: [...LANGUAGES],
        description: 'en unless given',
        examples: ['de'],
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    html: Type.String({
      description: 'the whole document',
      examples: ['<!doctype html>\n<html lang="en">…</html>'],
    }),
  }),
  compresses: 'answer',
  async handle({ subject, body, origin }, deps) {
    const { page = 'ads', language = 'en', ...edited } = shape.given(body)
    const draft = await draftBranding(deps, subject, edited)
    if (draft instanceof Refused) return draft
    const { accent, links, image, logo } = draft
    const brand = { accent, links, logo: logo && image ? { ...logo, address: image } : null }
    const [url] = clientUrls(deps.config, origin.headers)
    const loaders = draft.scripts.map(({ id, name }) => ({ script: name, address: `${url}/loader/${id}` }))
    const project = draft.name ?? subject.project.name
    return { html: renderPreview({ page, language, brand, project, loaders, now: deps.now() }) }
  },
})

export const branding: readonly Endpoint[] = [get, edit, preview]
