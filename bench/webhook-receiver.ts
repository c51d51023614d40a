/**
 * The world of `webhooks.ts`: one server that plays a thousand hosts, each with an address of loopback of its own. Those
 * of 127.9.0.0/16 take a message and never answer. It tells on request how late the messages of the others were.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const latenessMs: number[] = []

const server = createServer((request, response) => {
  const isHanging = request.headers.host?.startsWith('127.9.') === true
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => {
    if (isHanging) return
    latenessMs.push(Date.now() - Date.parse((JSON.parse(text) as { timestamp: string }).timestamp))
    response.end()
  })
})
server.listen(0, '0.0.0.0', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', () => process.send?.(latenessMs))
process.on('disconnect', () => process.exit())
