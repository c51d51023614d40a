import { expect, it } from 'vitest'
import { operationsIn, sdkOf } from './api-samples.ts'

const operations = operationsIn({
  paths: {
    '/v1/projects/{project_id}/users': { get: { 'x-sdk-method': 'users.list' } },
    '/v1/users/{user_key}/edit': { post: { 'x-sdk-method': 'users.edit' } },
    '/v1/auth/password': { post: {} },
  },
})
const sampleOf = (method: string, path: string, body = '') =>
  sdkOf({ id: 1, method, path, body }, 'https://ward.example.com', operations)

it.each([
  ['a query', 'GET', '/v1/projects/prj_1/users?limit=10', '', `users.list("prj_1", {"limit":"10"})`],
  ['no input', 'GET', '/v1/projects/prj_1/users', '', `users.list("prj_1")`],
  ['a body', 'POST', '/v1/users/a%2Fb/edit', '{"note":"x"}', `users.edit("a/b", {"note":"x"})`],
])('a request with %s becomes a call of its SDK method', (_, method, path, body, call) => {
  expect(sampleOf(method, path, body)).toContain(`await scriptward.${call}`)
})

it('a request without an SDK method is shown with its path', () => {
  expect(sampleOf('POST', '/v1/auth/password')).toBe('// POST /v1/auth/password')
})
