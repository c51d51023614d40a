/** Fields that identify the customer in entries that have a license key. */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'

export const userName = {
  note: shape.nullable(
    Type.String({ description: 'note on the user. Null if there is none', examples: ['Order 1042'] }),
  ),
  chat_id: shape.nullable(
    Type.String({ description: 'Discord user ID. Null if none is linked', examples: ['300000000000000001'] }),
  ),
} as const
