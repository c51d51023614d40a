/** The permissions that an operation needs, as shown in the OpenAPI document. */
import { describe, expect, it } from 'vitest'
import { resolved } from '../../test/documents.ts'
import { endpoints } from '../endpoints.ts'
import { describeApi } from './openapi.ts'

type Operation = {
  readonly description?: string
  readonly 'x-scope'?: string
  readonly responses: Readonly<Record<string, { content: Record<string, { examples?: object }> }>>
}

const { paths } = resolved<Operation>(describeApi(endpoints, '0.0.0'))
const listed = endpoints.map((one) => {
  const operation = paths[one.path.replace(/:(\w+)/g, '{$1}')]?.[one.method.toLowerCase()]
  return [`${one.method} ${one.path}`, one, operation] as const
})

describe('the OpenAPI document', () => {
  it.each(listed)(
    'names the scope of %s, and its error shows the missing permission',
    (_, { scope }, operation) => {
      expect(operation?.['x-scope'] ?? null).toBe(scope)
      if (scope === null) return
      expect(operation?.description).toContain(`Requires the \`${scope}\` scope.`)
      const { examples } = operation?.responses[403]?.content['application/json'] ?? {}
      expect(examples).toMatchObject({ forbidden: { value: { error: { needs: expect.any(String) } } } })
    },
  )
})
