/** Query parameters that sort user lists. */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import { USER_SORTS } from '../store/sorted-users.ts'

const SORTS = ['created', ...USER_SORTS] as const
const ORDERS = ['asc', 'desc', 'oldest', 'newest'] as const

export const SortedPage = shape.members({
  ...shape.Page.properties,
  // A cursor contains the last value, which can be an entire note if the list is sorted by note.
  after: shape.maybe(
    Type.String({ maxLength: 2500, description: 'cursor: the next value of the previous page' }),
  ),
  sort: Type.Optional(
    Type.Unsafe<(typeof SORTS)[number]>({
      type: 'string',
      enum: [...SORTS],
      description:
        'field to sort by: created, expires, last_used (by UTC day) or note (ignoring the case of A to Z). Users without a value come last. Default: created',
      examples: ['expires'],
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<(typeof ORDERS)[number]>({
      type: 'string',
      enum: [...ORDERS],
      description:
        'sort direction: asc or desc. oldest is the same as asc, and newest the same as desc. Default: asc. A cursor is only valid with the sort and order it was returned for',
      examples: ['asc'],
    }),
  ),
})
