/** Client disconnects are not counted as server errors. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { sqlite } from '../../test/databases.ts'
import { createAdSystem } from '../../test/endpoints/v1/checkpoints.ts'
import { serverOn } from '../../test/harness.ts'

const JSON_TYPE = 'content-type: application/json'

describe('an aborted request', () => {
  const { at } = serverOn(sqlite)

  test.each([
    ['with an API key, aborted in its body,', 'POST /v1/projects/new HTTP/1.1', 100],
    ['that is a handshake, aborted in its body,', 'POST /client/v1/exec HTTP/1.1', 100],
    ['that is a GET, aborted in its body,', 'GET /v1/adsystems/:system/checkpoints/new HTTP/1.1', 100],
    ['to a page, aborted in its form,', 'POST /me HTTP/1.1', 100],
  ])('%s is logged at debug and not counted as an error', async (_, line, length) => {
    const { owner, id } = await createAdSystem(at())
    const from = at().log.length
    const { hostname, port } = new URL(at().url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const head = `${line.replace(':system', id)}\r\nhost: a\r\ntoken: ${owner.apiKey}\r\n${JSON_TYPE}\r\ncontent-length: ${length}\r\n\r\n{`
    socket.write(head)
    await expect.poll(running).toBe(1)
    socket.resetAndDestroy()
    await expect.poll(running).toBe(0)
    await expect.poll(() => linesSince(from).map(({ msg }) => msg)).toContain('request aborted')
    for (const { level } of linesSince(from)) expect(level).toBe('debug')
    expect(await metric('scriptward_http_failures_total')).toBe(0)
  })

  const linesSince = (from: number) =>
    at()
      .log.slice(from)
      .map((line) => JSON.parse(line) as { level: string; msg: string; route?: string })
      .filter(({ route }) => route !== undefined && route !== '/metrics')
  const metric = async (name: string) => {
    const text = await (await fetch(`${at().url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
  }
  const running = () => new Promise<number>((resolve) => resolve(metric('scriptward_http_requests_running')))
})
