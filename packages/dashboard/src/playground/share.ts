/** Encodes a draft in the fragment of a link, which browsers don't send to servers. */
import { type Draft, MAX_SOURCE, PASSES, presets, targets } from './draft.ts'

const PREFIX = '#s='
/** Maximum length of a link, in characters. Chat apps and email clients truncate longer links. */
const MAX_LINK = 32_000
/**
 * Maximum decompressed size in bytes. Prevents a small link from expanding to more data than the page can
 * handle.
 */
const MAX_UNPACKED = 8 * MAX_SOURCE

export function isShared(hash: string): boolean {
  return hash.startsWith(PREFIX)
}

/** Returns null if the link would be too long. */
export async function hashOf(draft: Draft): Promise<string | null> {
  const packed = new Blob([JSON.stringify(draft)]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const hash = PREFIX + toBase64(new Uint8Array(await new Response(packed).arrayBuffer()))
  return hash.length > MAX_LINK ? null : hash
}

/** Returns null if the link is damaged. */
export async function draftIn(hash: string): Promise<Draft | null> {
  try {
    const bytes = fromBase64(hash.slice(PREFIX.length))
    const text = await unpack(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')))
    const value: unknown = JSON.parse(text)
    return isDraft(value) ? value : null
  } catch {
    return null
  }
}

async function unpack(stream: ReadableStream<Uint8Array>): Promise<string> {
  const [reader, decoder] = [stream.getReader(), new TextDecoder()]
  let [text, size] = ['', 0]
  for (;;) {
    const { value } = await reader.read()
    if (value === undefined) return text + decoder.decode()
    size += value.length
    if (size > MAX_UNPACKED) throw new Error('too large')
    text += decoder.decode(value, { stream: true })
  }
}

export function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false
  const { source, preset, target, seed, switched } = value as Readonly<Record<string, unknown>>
  return (
    typeof source === 'string' &&
    presets.some(({ id }) => id === preset) &&
    targets.some(({ id }) => id === target) &&
    typeof seed === 'string' &&
    Array.isArray(switched) &&
    switched.every((each) => PASSES.some(({ id }) => id === each))
  )
}

function toBase64(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
}
