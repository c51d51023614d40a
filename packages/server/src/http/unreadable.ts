/** Requests that Node or Fastify cannot read, which nobody has asked yet who is calling. */
import type { IncomingMessage } from 'node:http'
import { refuse } from '../domain/refusals.ts'
import { answerRefusal } from './answer.ts'

/** What Node itself could not read as HTTP; there is no request yet, so the answer is written by hand. */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: IncomingMessage['socket'],
  requestId: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { body } = answerRefusal(refuse('invalid_request'), {}, requestId)
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
}
