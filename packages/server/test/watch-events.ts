/**
 * Reads a stream's events one at a time over a dedicated connection. `fetch` would open a new connection when
 * the current one ends.
 */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect } from 'vitest'

export type Watched = {
  /**
   * The first block is the comment with which every stream starts. Later comments are skipped, because they
   * depend on how long the test takes.
   */
  next(): Promise<string>
  close(): Promise<void>
  /** Resolves when the server ends the stream. Ignores incoming events. */
  ended(): Promise<void>
}

/** `by` is an API key or token, or the headers of a browser. */
export async function watch(url: string, by: string | Readonly<Record<string, string>>): Promise<Watched> {
  const headers = typeof by === 'string' ? { token: by } : { ...by }
  const request = get(url, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  response.setEncoding('utf8').on('error', () => {})
  const isOver = new Promise<void>((resolve) => response.once('end', resolve))
  let rest = ''
  let hasStarted = false
  const block = async () => {
    while (!rest.includes('\n\n')) rest += await textOf(response)
    const end = rest.indexOf('\n\n')
    const text = rest.slice(0, end)
    rest = rest.slice(end + 2)
    return text
  }
  return {
    async next() {
      let text = await block()
      while (hasStarted && text.startsWith(':')) text = await block()
      hasStarted = true
      return text
    },
    async ended() {
      response.resume()
      await isOver
    },
    close: async () => void request.destroy(),
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const text = response.read() as string | null
  if (text !== null) return text
  await once(response, 'readable')
  return ''
}
