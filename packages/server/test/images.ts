/** Assembles small images from chunks, so that a test can corrupt any of them. */
import { crc32, deflateSync } from 'node:zlib'

type Chunk = readonly [type: string, content: Buffer]

export function png(width = 16, height = 20, more: readonly Chunk[] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const row = Buffer.alloc(1 + width * 3).fill(Buffer.from([0x1f, 0x5f, 0xd0]), 1)
  const pixels = deflateSync(Buffer.concat(Array.from({ length: Math.min(height, 2000) }, () => row)))
  return pngOf([['IHDR', header], ...more, ['IDAT', pixels], ['IEND', Buffer.alloc(0)]])
}

export function pngOf(chunks: readonly Chunk[]): Buffer {
  const written = chunks.map(([type, content]) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
    return Buffer.concat([uint32(content.length, 'BE'), body, uint32(crc32(body), 'BE')])
  })
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...written])
}

export function webpOf(chunks: readonly Chunk[]): Buffer {
  const written = chunks.map(([type, content]) =>
    Buffer.concat([
      Buffer.from(type, 'latin1'),
      uint32(content.length, 'LE'),
      content,
      Buffer.alloc(content.length % 2),
    ]),
  )
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...written])
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), uint32(body.length, 'LE'), body])
}

/** 16 × 20 pixels each, as encoded by a browser. */
export const VP8: Chunk = [
  'VP8 ',
  Buffer.from('EAMAnQEqEAAUAD7RVKNLqCSjIbAIAQAaCUAVJFAAEDYAAP7ni//cGZ9XbSvxC72QwFWgAA==', 'base64'),
]
export const VP8L: Chunk = ['VP8L', Buffer.from('Lw/ABAAH0K9+FLr/gYjofwA=', 'base64')]

function uint32(value: number, order: 'BE' | 'LE'): Buffer {
  const bytes = Buffer.alloc(4)
  if (order === 'BE') bytes.writeUInt32BE(value)
  else bytes.writeUInt32LE(value)
  return bytes
}
