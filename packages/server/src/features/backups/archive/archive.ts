/**
 * The backup file: a tar archive of the manifest, keyring and database, compressed with zstd and optionally
 * encrypted with age. Standard tools can extract it.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { packTar } from 'modern-tar/fs'
import {
  AgeFault,
  type AgeKeys,
  type AgeSeal,
  ageDecrypted,
  ageEncrypted,
  isAgeFile,
} from '../../../platform/secrets/age.ts'
import { BackupFault, type FileMark, FOREIGN, type Manifest, parseManifest } from './manifest.ts'

export type Parts = { readonly manifest: Manifest; readonly keyring: string; readonly database: string }

const NAMES = { manifest: 'manifest.json', keyring: 'keyring.json', database: 'database' } as const
const READ_BYTES = 1 << 18
const MAX_TEXT_BYTES = 4_194_304
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Even the fastest level compresses database pages to a fifth of their size. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const CUT = 'the backup is damaged or truncated: use another backup'
const cutBecause = (reason: string) => `the backup is damaged or truncated (${reason}): use another backup`

/** Destination of an archive. */
export type Sink = Writable | ((content: AsyncIterable<Uint8Array>) => Promise<void>)

/** `database` is a file path. */
export async function writeArchive(
  { manifest, keyring, database }: Parts,
  target: Sink,
  { seal, signal }: { readonly seal: AgeSeal | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const mode = 0o600
  const mtime = new Date(manifest.made_at)
  const content = (target: string, content: string) => ({
    type: 'content' as const,
    target,
    content,
    mode,
    mtime,
  })
  const tar = packTar([
    content(NAMES.manifest, `${JSON.stringify(manifest, null, 2)}\n`),
    content(NAMES.keyring, keyring),
    { type: 'file', source: database, target: NAMES.database, mode, mtime },
  ])
  const compressed = createZstdCompress(COMPRESSION)
  if (seal === undefined) return pipeline(tar, compressed, target, { signal })
  await pipeline(tar, compressed, (content: AsyncIterable<Buffer>) => ageEncrypted(content, seal), target, {
    signal,
  })
}

export type Reading = {
  readonly keys: AgeKeys
  /** Called before the database is extracted. An exception stops the restore. */
  readonly check: (manifest: Manifest, keyring: string) => Promise<void>
  /** Path of a new file for the database. */
  readonly database: string
  readonly signal: AbortSignal
}

/** Reads an entire backup and verifies each part. Throws a {@link BackupFault} that describes any problem. */
export async function readArchive(file: string, reading: Reading): Promise<Manifest> {
  const kind = await kindOf(file)
  if (kind === 'foreign') throw new BackupFault(FOREIGN)
  let manifest: Manifest | undefined
  const unpack = async (content: AsyncIterable<Uint8Array>) => {
    manifest = await readParts(content, reading)
  }
  const source = createReadStream(file, { highWaterMark: READ_BYTES })
  const { keys, signal } = reading
  const opened = kind === 'sealed' ? ageDecrypted(source, keys) : source
  await pipeline(opened, createZstdDecompress(), unpack, { signal }).catch((error: unknown) => {
    throw faultOf(error)
  })
  if (manifest === undefined) throw new BackupFault(CUT)
  return manifest
}

async function kindOf(file: string): Promise<'sealed' | 'plain' | 'foreign'> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new BackupFault(`${file} cannot be read (${error.code})`)
  })
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0)
    if (isAgeFile(buffer)) return 'sealed'
    return bytesRead > 4 && buffer.subarray(0, 4).equals(ZSTD_MAGIC) ? 'plain' : 'foreign'
  } finally {
    await handle.close()
  }
}

function faultOf(error: unknown): unknown {
  const { code = '', name, message = '' } = error as NodeJS.ErrnoException
  if (error instanceof BackupFault || name === 'AbortError') return error
  if (error instanceof AgeFault) return new BackupFault(`the backup cannot be decrypted: ${message}`)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BackupFault("the disk is full: free up space on the data folder's disk and try again")
  const isSystem = (error as NodeJS.ErrnoException).syscall !== undefined
  return isSystem ? error : new BackupFault(cutBecause(message || name || 'unknown'), { cause: error })
}

async function readParts(content: AsyncIterable<Uint8Array>, reading: Reading): Promise<Manifest> {
  const entries = ReadableStream.from(content).pipeThrough(createTarDecoder({ strict: true }))
  const reader = entries[Symbol.asyncIterator]() as AsyncIterator<ParsedTarEntry>
  const manifest = parseManifest(await readText(reader, NAMES.manifest))
  const keyring = await readText(reader, NAMES.keyring)
  compare(markOf(keyring), manifest.keyring)
  await reading.check(manifest, keyring)
  const entry = await nextEntry(reader, NAMES.database)
  compare(await writeMarked(entry.body, reading.database), manifest.database)
  if (!(await reader.next()).done) throw new BackupFault(CUT)
  return manifest
}

async function readText(reader: AsyncIterator<ParsedTarEntry>, name: string): Promise<string> {
  const { header, body } = await nextEntry(reader, name)
  if (header.size > MAX_TEXT_BYTES) throw new BackupFault(FOREIGN)
  return text(body)
}

async function nextEntry(reader: AsyncIterator<ParsedTarEntry>, name: string): Promise<ParsedTarEntry> {
  const next = await reader.next()
  if (next.done) throw new BackupFault(CUT)
  if (next.value.header.name !== name) throw new BackupFault(FOREIGN)
  return next.value
}

function compare(found: FileMark, expected: FileMark): void {
  if (found.bytes !== expected.bytes)
    throw new BackupFault(cutBecause(`${found.bytes} of ${expected.bytes} bytes`))
  if (found.sha256 !== expected.sha256) throw new BackupFault(cutBecause('checksum mismatch'))
}

export function markOf(content: string): FileMark {
  return { bytes: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') }
}

export async function markOfFile(file: string): Promise<FileMark> {
  const sink = new Writable({ write: (_part, _encoding, done) => done() })
  return marked(createReadStream(file, { highWaterMark: READ_BYTES }), sink)
}

function writeMarked(body: ReadableStream<Uint8Array>, file: string): Promise<FileMark> {
  return marked(Readable.from(body), createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }))
}

async function marked(content: Readable, sink: Writable): Promise<FileMark> {
  const hash = createHash('sha256')
  let bytes = 0
  const count = async function* (parts: AsyncIterable<Uint8Array>) {
    for await (const part of parts) {
      hash.update(part)
      bytes += part.length
      yield part
    }
  }
  await pipeline(content, count, sink)
  return { bytes, sha256: hash.digest('hex') }
}
