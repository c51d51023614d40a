/** Storage format of line tables: deflated JSON. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LineTable } from '@scriptward/obfuscator'

export function packLineTable(table: LineTable): Uint8Array {
  return deflateRawSync(JSON.stringify(table))
}

export function readLineTable(packed: Uint8Array): LineTable {
  return JSON.parse(inflateRawSync(packed).toString('utf8')) as LineTable
}
