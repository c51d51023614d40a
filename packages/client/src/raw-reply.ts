/** The response to `/exec` as bytes, for clients on hosts that preserve all bytes (client protocol §6). */

/** Returns `u32 big-endian length ‖ reply box ‖ payload box`. */
export function formatRawReply(replyBox: Uint8Array, payloadBox?: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(replyBox.length)
  return Buffer.concat(payloadBox ? [length, replyBox, payloadBox] : [length, replyBox])
}
