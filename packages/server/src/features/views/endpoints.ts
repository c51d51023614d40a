/** Endpoints for saved views of a project's lists, which are separate for each team member. */
import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import * as shape from '../../api/shapes.ts'
import type { Caller } from '../access/caller.ts'
import { findViews, saveViews } from './store.ts'

const MAX_VIEWS = 50
const path = '/v1/projects/:project_id/views'

const View = Type.Object(
  {
    list: Type.String({
      pattern: '^[a-z]{1,32}$',
      description: 'list that the view belongs to, such as users',
      examples: ['users'],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 60,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'name of the view, at most 60 characters',
      examples: ['Expiring soon'],
    }),
    query: Type.String({
      maxLength: 2000,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: "filters and sort order: the query string of the list's dashboard URL",
      examples: ['status=active&sort=expires&order=asc'],
    }),
    columns: shape.nullable(
      Type.Array(Type.String({ pattern: '^[A-Za-z_]{1,32}$' }), {
        maxItems: 40,
        description: 'IDs of the hidden columns. Null to keep the current columns',
        examples: [['device']],
      }),
    ),
  },
  { title: 'SavedView', additionalProperties: false },
)
const Views = Type.Array(View, {
  maxItems: MAX_VIEWS,
  description: `saved views in display order, at most ${MAX_VIEWS}`,
})
type Views = Static<typeof Views>

const list = endpoint({
  name: 'v1.views.list',
  summary: 'List saved views',
  description:
    'Returns your saved views in this project. API keys and tokens share one set of views, which team members cannot see.',
  method: 'GET',
  path,
  auth: 'project',
  scope: 'projects:read',
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, views: Views }),
  async handle({ subject: { project }, caller }, { db }) {
    const saved = await findViews(db.read, project.id, ownerOf(caller))
    return { views: saved === undefined ? [] : (JSON.parse(saved) as Views) }
  },
})

/** Views are personal and don't change the project, so saving a view requires only read access. */
const replace = endpoint({
  name: 'v1.views.replace',
  summary: 'Save views',
  description:
    'Replaces all your saved views in this project. Views that are not in the request are deleted.',
  method: 'PUT',
  path,
  auth: 'project',
  changes: false,
  scope: 'projects:read',
  params: shape.ProjectParams,
  body: shape.members({ views: Views }),
  response: Type.Object({ success: shape.Yes, views: Views }),
  async handle({ subject: { project }, caller, body: { views: given } }, deps) {
    await deps.db.transaction((tx) =>
      saveViews(tx, {
        ...{ project_id: project.id, owner: ownerOf(caller), data: JSON.stringify(given) },
        updated_at: deps.now(),
      }),
    )
    return { views: given }
  },
})

function ownerOf({ actor }: Caller): string {
  return actor.kind === 'person' ? (actor.id ?? '') : ''
}

export const views: readonly Endpoint[] = [list, replace]
