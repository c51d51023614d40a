/**
 * Compresses only responses without secrets. The length of a compressed response that mixes a secret with
 * strings from others reveals the secret bit by bit (BREACH), and responses with keys contain such strings:
 * notes, executor names and forms.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = promisify(gzip)
/** Minimum size in bytes. A smaller response fits into one packet anyway. */
const MIN_SIZE = 1024

/** Content that is the same for everyone and compressed only once. */
export type PublicFile = {
  readonly contentType: string
  readonly bytes: Buffer
  /** Undefined if compression wouldn't make the content shorter. */
  readonly compressed: Buffer | undefined
  /** Compressed with Brotli when the file was built. */
  readonly smallest?: Buffer | undefined
  readonly etag: string
}

export async function packFile(bytes: Buffer, contentType: string): Promise<PublicFile> {
  const compressed = bytes.length > MIN_SIZE ? await compress(bytes, { level: 9 }) : undefined
  const isShorter = compressed !== undefined && compressed.length < bytes.length
  // The ETag is weak, because all encodings share it.
  const etag = `W/"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  return { contentType, bytes, compressed: isShorter ? compressed : undefined, etag }
}

/** Responds with 304 to a client that already has the file. */
export function respondFile(reply: FastifyReply, file: PublicFile, cacheControl: string): FastifyReply {
  const { 'if-none-match': known, 'accept-encoding': accepted } = reply.request.headers
  reply.headers({ etag: file.etag, 'cache-control': cacheControl, vary: 'accept-encoding' })
  if (isKnown(known, file.etag)) return reply.code(304).send()
  const { compressed, smallest } = file
  reply.header('content-type', file.contentType)
  if (smallest !== undefined && accepts('br', accepted))
    return reply.header('content-encoding', 'br').send(smallest)
  if (compressed === undefined || !accepts('gzip', accepted)) return reply.send(file.bytes)
  return reply.header('content-encoding', 'gzip').send(compressed)
}

/** An `onSend` hook for routes whose responses contain no secret. */
export async function compressAnswer(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' || Buffer.byteLength(payload) <= MIN_SIZE) return payload
  reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '))
  if (!accepts('gzip', headers['accept-encoding'])) return payload
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  return compress(payload)
}

function isKnown(given: string | undefined, etag: string): boolean {
  const tags = (given ?? '').split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.includes(etag) || tags.includes(etag.slice(2))
}

/**
 * Returns whether the client accepts a coding, according to RFC 9110: the coding is listed or matched by `*`,
 * and its weight is not 0.
 */
function accepts(coding: 'br' | 'gzip', header: string | string[] | undefined): boolean {
  const codings = [header ?? []].flat().join(',').toLowerCase().split(',')
  const weights = new Map(codings.map(readCoding))
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0
}

function readCoding(coding: string): [string, number] {
  const [name = '', ...parameters] = coding.split(';').map((part) => part.trim())
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2)
  return [name, weight === undefined ? 1 : Number(weight) || 0]
}
