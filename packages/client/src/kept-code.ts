/**
 * Loaders for hosts with files. They keep the code that is the same for everyone, the loader itself and a script's
 * interpreter, and later starts download only a boot record with the tags of that code.
 */
import { createCipheriv, hash } from 'node:crypto'
import { asLocals, type LoaderRecord, loaderMembers, type Module } from './bundle.ts'
import { luaLiteral, luaLongString } from './lua-text.ts'
import type { BootRecord } from './messages.ts'
import { KEY_BYTES, seal } from './wire.ts'

/** What a host asks for: a loader that reads its code from files, or one that contains the code and writes the files. */
export const CACHE_USES = ['read', 'write'] as const
export type CacheUse = (typeof CACHE_USES)[number]

/** The first files are for loaders, the others for interpreters; see lua/kept.lua. */
export const LOADER_FILES = 4
export const CODE_FILES = 16

/** The code of a start. `loader` is packed by `packCore`, `interpreter` by `packInterpreter`. */
export interface Code {
  readonly loader: string
  readonly interpreter?: string | undefined
}

/** The number of the file for an interpreter or, by default, a loader. */
export function fileNumber(text: string, isInterpreter = false): number {
  const first = hash('sha256', text, 'buffer').readUInt32BE()
  return isInterpreter ? LOADER_FILES + (first % (CODE_FILES - LOADER_FILES)) : first % LOADER_FILES
}

/** A loader that writes its code to files before it runs. The `interpreter` of the record is ignored. */
export function renderWritingLoader(boot: BootRecord, record: LoaderRecord, code: Code): string {
  const parts = numbered(code).map(({ number, text }) => `{number=${number},text=${luaLongString(text)}}`)
  return render(WRITING, loaderMembers(boot, record), parts.join(','))
}

/**
 * A loader without code, which reads it from files. If a file is not what it should be, it downloads a writing loader
 * from the first of `urls` that responds; these end where a query parameter can follow. `random` returns secret bytes.
 */
export function renderReadingLoader(
  boot: BootRecord,
  record: LoaderRecord,
  { urls, random, ...code }: Code & { readonly urls: readonly string[]; readonly random: Random },
): string {
  const parts = numbered(code).map(({ number, text }) => luaLiteral({ number, ...tagged(text, random) }))
  return render(READING, loaderMembers(boot, record), `${parts.join(',')},urls=${luaLiteral(urls)}`)
}

/** The program of a hub address, which requests `url` again with the IDs of the game. */
export function renderHubLine(url: string): string {
  return `return(function(...)\n${joined(HUB_LINE)}\nreturn line(...)\nend)(${luaLiteral(url)},...)\n`
}

type Random = (count: number) => Buffer

function numbered({ loader, interpreter }: Code): { readonly number: number; readonly text: string }[] {
  const first = { number: fileNumber(loader), text: loader }
  if (interpreter === undefined) return [first]
  return [first, { number: fileNumber(interpreter, true), text: interpreter }]
}

/**
 * A new one-time key in hex, and the text's tag with it. Node has no Poly1305 of its own, so it is that of
 * ChaCha20-Poly1305 (RFC 8439, section 2.8) with the text as additional data of an empty message. Its key is the
 * beginning of the key stream.
 */
function tagged(text: string, random: Random): { readonly key: string; readonly tag: string } {
  const secret = random(KEY_BYTES)
  const tag = seal(secret, 0, Buffer.from(text), '')
  const key = createCipheriv('chacha20', secret, Buffer.alloc(16)).update(Buffer.alloc(KEY_BYTES))
  return { key: key.toString('hex'), tag: tag.toString('hex') }
}

function render(modules: readonly Module[], members: string, parts: string): string {
  return `return(function(...)\n${joined(modules)}\nreturn starter(...)\nend)({${members}},{${parts}},...)\n`
}

/** Programs by their modules, joined from files at the first use. */
const programs = new Map<readonly Module[], string>()

function joined(modules: readonly Module[]): string {
  const program = programs.get(modules) ?? asLocals(modules)
  programs.set(modules, program)
  return program
}

const FILES: readonly Module[] = [
  { name: 'code', file: 'code', needs: '' },
  { name: 'files', file: 'files', needs: '' },
  { name: 'kept', file: 'kept', needs: 'files' },
]
const HUB_LINE: readonly Module[] = [...FILES, { name: 'line', file: 'hub-line', needs: 'code,kept' }]
const WRITING: readonly Module[] = [...FILES, { name: 'starter', file: 'starter', needs: 'code,kept' }]
const READING: readonly Module[] = [
  ...FILES,
  { name: 'field', file: 'crypto-field', needs: '' },
  { name: 'poly1305', file: 'crypto-poly1305', needs: 'field' },
  { name: 'starter', file: 'starter', needs: 'code,kept,poly1305' },
]
