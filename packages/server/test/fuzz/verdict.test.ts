/** Tests that the fuzzer's checks detect violations. A check that accepted everything would find no bugs. */
import { describe, expect, it } from 'vitest'
import { readOperations } from './document.ts'
import { problemWith } from './verdict.ts'

const operations = readOperations()
const named = (name: string) => operations.filter((one) => one.name === name)
const JSON_TYPE = 'application/json; charset=utf-8'

function received(status: number, body: unknown, contentType = JSON_TYPE) {
  const headers = { 'x-request-id': 'abcd-1234', 'content-type': contentType }
  return { status, headers, text: typeof body === 'string' ? body : JSON.stringify(body) }
}
function refused(status: number, type: string, code: number) {
  const error = { code, type, message: 'm', request_id: 'abcd-1234' }
  return received(status, { success: false, error })
}

describe('a response', () => {
  const edit = named('projects.edit')
  const healthz = named('system.healthz')

  it('passes if it matches the document', () => {
    expect([edit.length, healthz.length]).toEqual([1, 1])
    expect(problemWith(healthz, received(200, { success: true }))).toBeUndefined()
    expect(problemWith(edit, refused(403, 'account_expired', 0))).toBeUndefined()
    expect(problemWith([], refused(404, 'invalid_endpoint', -1))).toBeUndefined()
  })

  it.each([
    ['an internal error', refused(500, 'internal', -1)],
    ['an outage', refused(503, 'unavailable', -1)],
    ['an undeclared status', received(201, { success: true })],
    ['an undeclared field', received(200, { success: true, more: 1 })],
    ['a field of another type', received(200, { success: 'true' })],
    ['a body that is not JSON', received(200, '{"success":')],
    ['another content type', received(200, { success: true }, 'text/html')],
    ['no request ID', { ...received(200, { success: true }), headers: {} }],
    ['an undeclared reason', refused(404, 'not_found', -1)],
  ])('does not pass with %s', (_, answer) => {
    expect(problemWith(healthz, answer)).toEqual(expect.any(String))
  })

  it('fails if its code is not the one of its reason in the document', () => {
    expect(problemWith(edit, refused(403, 'account_expired', 1))).toContain('has the code 1 and not 0')
  })

  it('fails if the document does not contain it', () => {
    expect(problemWith([], received(200, { success: true }))).toEqual(expect.any(String))
  })
})
