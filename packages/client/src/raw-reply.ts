/** The answer of `/exec` as bytes, for clients whose host damages none (client protocol §6). */
import { formatReply } from './wire.ts'

/** `u32 big-endian length ‖ reply box ‖ payload box`. */
export function formatRawReply(replyBox: Uint8Array, payloadBox?: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(replyBox.length)
  return Buffer.concat(payloadBox ? [length, replyBox, payloadBox] : [length, replyBox])
}

/** The client's half: the same as in text, for `openReply`. */
export function readRawReply(bytes: Buffer): string | undefined {
  const end = bytes.length < 4 ? 0 : 4 + bytes.readUInt32BE()
  if (end < 4 || end > bytes.length) return undefined
  return formatReply(bytes.subarray(4, end), end < bytes.length ? bytes.subarray(end) : undefined)
}
