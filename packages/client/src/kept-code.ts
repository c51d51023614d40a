/**
 * Loaders for hosts with files. They cache the code that is the same for everyone: the loader itself and a
 * script's interpreter. Later starts download only a boot record and the tags of that code.
 */
import { createCipheriv, hash } from 'node:crypto'
import { asLocals, type LoaderRecord, loaderMembers, type Module } from './bundle.ts'
import { luaLiteral, luaLongString } from './lua-text.ts'
import type { BootRecord } from './messages.ts'
import { KEY_BYTES, seal } from './wire.ts'

/**
 * Loader variants that a host can request: `read` loads its code from files; `write` contains the code and
 * writes the files.
 */
export const CACHE_USES = ['read', 'write'] as const
export type CacheUse = (typeof CACHE_USES)[number]

/** The first files are for loaders and the rest for interpreters; see lua/kept.lua. */
export const LOADER_FILES = 4
export const CODE_FILES = 16

/**
 * The code needed for a start. `packCore` produces `loader`, and `packInterpreter` produces `interpreter`.
 */
export interface Code {
  readonly loader: string
  readonly interpreter?: string | undefined
}

/** Returns the file number for a loader or an interpreter. */
export function fileNumber(text: string, isInterpreter = false): number {
  const first = hash('sha256', text, 'buffer').readUInt32BE()
  return isInterpreter ? LOADER_FILES + (first % (CODE_FILES - LOADER_FILES)) : first % LOADER_FILES
}

/** Returns a loader that writes its code to files before it runs. Ignores the record's `interpreter`. */
export function renderWritingLoader(boot: BootRecord, record: LoaderRecord, code: Code): string {
  const parts = numbered(code).map(({ number, text }) => `{number=${number},text=${luaLongString(text)}}`)
  return render(WRITING, loaderMembers(boot, record), parts.join(','))
}

/**
 * Returns a loader that contains no code and reads it from files. If a file is missing or was changed, the
 * loader fetches the writing variant from the first of `urls` that responds. Each URL must end with `?` or
 * `&`, because the loader appends a query parameter. `random` returns secret bytes.
 */
export function renderReadingLoader(
  boot: BootRecord,
  record: LoaderRecord,
  { urls, random, ...code }: Code & { readonly urls: readonly string[]; readonly random: Random },
): string {
  const parts = numbered(code).map(({ number, text }) => luaLiteral({ number, ...tagged(text, random) }))
  return render(READING, loaderMembers(boot, record), `${parts.join(',')},urls=${luaLiteral(urls)}`)
}

/** Returns the program behind a hub URL, which requests `url` again with the game's IDs. */
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
 * Returns a new one-time key and the tag of the text with it, both in hex. Node has no plain Poly1305, so
 * this uses ChaCha20-Poly1305 (RFC 8439, section 2.8) with an empty message and the text as additional data.
 * The Poly1305 key is the beginning of the key stream.
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

/** Caches the program joined from each list of modules. */
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
