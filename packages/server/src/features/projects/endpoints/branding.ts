/** Endpoints for a project's branding on ad pages and the self-service page. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { ONE_LINE } from '../../../api/text-patterns.ts'
import { PREVIEWS, type Preview, renderPreview } from '../../customer-page/pages/preview.ts'
import { clientUrls } from '../../executions/endpoints/addresses.ts'
import { MAX_SHOWN_SCRIPTS } from '../brand.ts'
import { draftBranding, editBranding, getBranding, MAX_LINKS } from '../branding.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_PIXELS, MIN_LOGO_PIXELS } from '../logo.ts'
import { PageLanguage, RenderedPage } from './rendered-page.ts'

const path = '/v1/projects/:project_id/branding'

/** The example shows a blue square. */
const EXAMPLE_LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGOQj79AEmIY1TCqYfhqAADf8k4Q0uiyngAAAABJRU5ErkJggg=='

const Link = Type.Object(
  {
    title: Type.String({
      ...shape.NAME,
      description: 'text to display for the link',
      examples: ['Our Discord'],
    }),
    url: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'URL (https) of at most 500 characters',
      examples: ['https://chat.example.com/garden'],
    }),
  },
  { additionalProperties: false },
)
const EXAMPLE_IDS = ['scr_0VMc4VLkM2pQrStUvWxYzA']
const Links = Type.Array(Link, {
  maxItems: MAX_LINKS,
  description: 'links, in display order',
  examples: [[{ title: 'Our Discord', url: 'https://chat.example.com/garden' }]],
})
const AllScripts = Type.Boolean({
  description: 'whether visitors see all enabled scripts (up to the first 100)',
  examples: [false],
})
const ScriptIds = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: MAX_SHOWN_SCRIPTS,
  examples: [EXAMPLE_IDS],
  description: 'IDs of the scripts to show, in display order, if all_scripts is false',
})

const members = {
  name: shape.maybe(
    Type.String({
      maxLength: 100,
      pattern: ONE_LINE,
      description:
        'name shown instead of the project name, at most 100 characters without control characters. An empty string removes it',
      examples: ['Garden'],
    }),
  ),
  accent: shape.maybe(
    Type.String({
      maxLength: 7,
      pattern: '^(#[0-9a-fA-F]{6})?$',
      description:
        'accent color, such as #1f5fd0. Pages derive readable shades for light and dark mode from it. An empty string removes it',
      examples: ['#1f5fd0'],
    }),
  ),
  logo: shape.maybe(
    Type.String({
      description: `logo: a PNG or WebP image without animation, encoded in base64, of at most ${MAX_LOGO_BYTES} bytes and ${MIN_LOGO_PIXELS} to ${MAX_LOGO_PIXELS} pixels in width and height. An empty string removes it`,
      examples: [EXAMPLE_LOGO],
    }),
  ),
  links: shape.maybe(Links),
  all_scripts: shape.maybe(Type.Boolean({ description: 'whether visitors see all enabled scripts' })),
  scripts: shape.maybe(ScriptIds),
}

const Logo = shape.named('Logo', {
  path: Type.String({
    description: "public path of the logo, relative to the server's URL. Each image has its own path",
    examples: ['/me/assets/logo.5Jr1rS1gC4b8cXQ0nTtJ3w.png'],
  }),
  type: Type.String({ description: 'media type: image/png or image/webp', examples: ['image/png'] }),
  width: Type.Integer({ description: 'width in pixels', examples: [256] }),
  height: Type.Integer({ description: 'height in pixels', examples: [256] }),
})
const Branding = shape.named('Branding', {
  name: shape.nullable(
    Type.String({
      description: 'name shown instead of the project name. Null if the project name is shown',
      examples: ['Garden'],
    }),
  ),
  accent: shape.nullable(
    Type.String({ description: 'accent color. Null if the default color is used', examples: ['#1f5fd0'] }),
  ),
  links: Links,
  all_scripts: AllScripts,
  scripts: Type.Array(Type.String(), {
    description:
      'IDs of the scripts shown if all_scripts is false, in display order. Removed scripts are left out',
    examples: [EXAMPLE_IDS],
  }),
  logo: shape.nullable(Logo),
})

const get = endpoint({
  name: 'v1.branding.get',
  summary: "Retrieve a project's branding",
  description:
    "Returns the branding of a project's public pages (ad pages and the self-service page): name, logo, accent color, links, and which scripts are shown. If none is set, returns the defaults. The logo's path is public and stays the same until you change the image.",
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
  summary: "Update a project's branding",
  description:
    'Changes the fields you send and returns the complete branding. Fields that are absent or null are unchanged; an empty string removes the name, color or logo. Logos are base64-encoded PNG or WebP images without animation, at most 64 KiB, and 16 to 1024 pixels in width and height. Visitors see the change on the next page they load.',
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
  summary: "Preview a project's branding",
  description:
    'Renders a public page with sample content and the given branding, without saving anything. Fields that you leave out use the saved branding. `html` is a self-contained document that loads no other resources, so you can show it in a sandboxed frame.',
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
          'page to render: ads (start of an ad system), key (an earned key) or me (self-service page). Default: ads',
        examples: ['me'],
      }),
    ),
    language: Type.Optional(PageLanguage),
  }),
  response: RenderedPage,
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
