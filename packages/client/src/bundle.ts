/**
 * Bundles the Lua files into one chunk and renders the text that clients download. Decides the order of the
 * files and which of them each kind of host needs. Obfuscating the chunk is up to the server.
 */
import { readFileSync } from 'node:fs'
import { luaLiteral, luaLongString } from './lua-text.ts'
import { type BootRecord, LOADER_BUILD } from './messages.ts'
import { pack } from './pack.ts'

/** Loader settings in addition to the boot record. */
export interface LoaderRecord {
  readonly project_id: string
  readonly script_id: string
  /** The keys that this loader trusts: maps key IDs to static public keys in base64url. */
  readonly keys: Readonly<Record<string, string>>
  /**
   * The interpreter for the version's data, from `packInterpreter`. Absent if it is delivered with the data.
   */
  readonly interpreter?: string
  /** Client base URLs in the order to try, for boot records without URLs. */
  readonly urls?: readonly string[]
  /**
   * The project's key format, such as `HUB-XXXXX-XXXXX-XXXXX-XXXXX-X`. Keys in other forms are not checked
   * for typos.
   */
  readonly key_format?: string
}

/** Settings of a loader file, which contains pinned public keys of the server instead of a boot record. */
export interface LoaderFileRecord extends LoaderRecord {
  /** Client base URLs in the order to try. */
  readonly urls: readonly string[]
  /** Ed25519 keys in base64url. Boot records must be signed by one of them. */
  readonly pins: readonly string[]
}

/** Settings of the library for script hubs. */
export interface LibraryRecord {
  /** Client base URLs in the order to try. */
  readonly urls: readonly string[]
  /** Ed25519 keys in base64url. Answers must be signed by one of them. */
  readonly pins: readonly string[]
  /** The project, if the download request named one. */
  readonly project?: string
}

/** Runtimes that a loader can target; `any` runs on all of them. */
export const LOADER_RUNTIMES = ['any', 'luau', 'jit', '51', '54'] as const
export type LoaderRuntime = (typeof LOADER_RUNTIMES)[number]
export type LoaderUse = 'once' | 'file'

/**
 * Returns the loader for one kind of host as one Lua chunk: ASCII without comments, with the same bytes on
 * every call. The chunk expects the record as its first argument, followed by the host's own arguments, and
 * returns the results of the protected script. With `file`, the loader fetches its boot record itself and
 * verifies the signature.
 */
export function loaderCore(runtime: LoaderRuntime = 'any', use: LoaderUse = 'once'): string {
  const modules = MODULES.filter(({ use: its = use }) => its === use)
  return `${joinModules(modules, runtime)}\nreturn loader(...)\n`
}

/**
 * Returns the library for script hubs as one Lua chunk, like `loaderCore`. The chunk expects its record and
 * returns a table of functions.
 */
export function libraryCore(runtime: LoaderRuntime = 'any'): string {
  const shared = MODULES.filter(({ name }) => IN_LIBRARY.has(name))
  return `${joinModules([...shared, ...LIBRARY_MODULES], runtime)}\nreturn library(...)\n`
}

function joinModules(all: readonly Module[], runtime: LoaderRuntime): string {
  const modules = all.filter(({ only }) => runtime === 'any' || !only || only.includes(runtime))
  const names = new Set<string>(modules.map(({ name }) => name))
  const parts = modules.map(({ name, file, needs }) => {
    const given = needs.split(',').map((need) => (need === '' || names.has(need) ? need : 'nil'))
    return `local ${name}=(function(...)\n${compact(file)}\nend)(${given})`
  })
  return parts.join('\n')
}

/**
 * Returns a chunk that is equivalent to `core` but half its size, because the text in it is packed (see
 * pack.ts). The chunk can replace any core, obfuscated or not. It also adds a function that unpacks
 * interpreters to the record.
 */
export function packCore(core: string): string {
  const missing = 'error("scriptward: your executor has no loadstring function, which scripts require",0)'
  return `local unpackText=(function(...)
${compact('unpack')}
end)()
local ok,compile=pcall(function()return loadstring end)
if not(ok and compile)then ok,compile=pcall(function()return load end)end
if not(ok and compile)then ${missing} end
(...).unpack=unpackText
return compile(unpackText(${luaLongString(pack(core))}),"=loader")(...)
`
}

/**
 * Like `packCore`, but without packing, which takes a quarter of a second. The result is twice the size but
 * available immediately.
 */
export function carryCore(core: string): string {
  return `local unpackText=(function(...)
${compact('unpack')}
end)()
local record=...
record.unpack=unpackText
${core}`
}

/** Packs an interpreter for loaders. Undefined if the text cannot be packed. */
export function packInterpreter(text: string): string | undefined {
  return /^[ -~][ -~\n]*$/.test(text) ? pack(text) : undefined
}

/**
 * Returns the loader to serve: a call to `core` with the loader's record. `core` is the result of
 * `loaderCore()`, possibly obfuscated. The text runs on Lua 5.1 to 5.4, LuaJIT and Luau.
 */
export function renderLoader(core: string, boot: BootRecord, record: LoaderRecord): string {
  const { interpreter } = record
  const carried = interpreter === undefined ? '' : `,interpreter=${luaLongString(interpreter)}`
  return callCore(core, loaderMembers(boot, record) + carried)
}

/** Returns a loader's record as fields of a Lua table, without the interpreter. */
export function loaderMembers(
  boot: BootRecord,
  { project_id, script_id, keys, urls, key_format }: LoaderRecord,
): string {
  const own = urls === undefined ? {} : { urls }
  return membersOf({ boot, ...own, keys, project_id, script_id, ...formOf(key_format) })
}

/**
 * Returns the text of a loader file: a call to `core` with its record. `core` is the result of
 * `loaderCore(…, 'file')`, possibly obfuscated.
 */
export function renderLoaderFile(core: string, record: LoaderFileRecord): string {
  const { keys, project_id, script_id, urls, pins, key_format } = record
  return callCore(core, membersOf({ urls, pins, keys, project_id, script_id, ...formOf(key_format) }))
}

/**
 * Returns the text of the library: a call to `core` with its record. `core` is the result of `libraryCore()`,
 * possibly packed.
 */
export function renderLibrary(core: string, record: LibraryRecord): string {
  return `return(function(...)\n${core}\nend)(${luaLiteral(record)})\n`
}

const formOf = (key_format: string | undefined) => (key_format === undefined ? {} : { key_format })

/** Settings of the key window: the project's branding, and the messages in the host's language. */
export interface WindowSettings {
  readonly title: string
  /** Color as `#rrggbb`. */
  readonly accent?: string
  /** A PNG in base64url, and its file name. */
  readonly logo?: string
  readonly logo_file?: string
  readonly links: readonly { readonly title: string; readonly url: string }[]
  /** Whether the project has a get-key page. */
  readonly get_key: boolean
  readonly words: Readonly<Record<string, string>>
}

/** Returns the code of the key window, with the same bytes on every call. */
export function windowCore(): string {
  return `local settings,tools=...\n${asLocals(WINDOW_MODULES)}\nreturn window`
}

/**
 * Returns the key window that the library downloads when a hub opens it: Lua code that expects the library's
 * tools.
 */
export function renderWindow(core: string, settings: WindowSettings): string {
  return `return(function(...)\n${core}\nend)(${luaLiteral(settings)},...)\n`
}

/** Returns the key check library for other Lua programs, as one file that returns a table. */
export function checkLibrary(): string {
  const head =
    '-- Checks keys from Lua 5.1 to 5.4, LuaJIT and Luau; how to use it is in docs/checking-keys.md.\n' +
    '-- Made by `npm run generate` from the files in packages/client/lua.'
  return `${head}\n${asLocals(CHECK_MODULES)}\nreturn check\n`
}

/** Returns the files as Lua locals, each after its dependencies. */
export function asLocals(modules: readonly Module[]): string {
  const parts = modules.map(
    ({ name, file, needs }) => `local ${name}=(function(...)\n${compact(file)}\nend)(${needs})`,
  )
  return parts.join('\n')
}

const membersOf = (record: object) => luaLiteral({ ...record, build: LOADER_BUILD }).slice(1, -1)

function callCore(core: string, members: string): string {
  return `return(function(...)\n${core}\nend)({${members}},...)\n`
}

/** A Lua file in a bundle. */
export interface Module {
  readonly name: string
  readonly file: string
  readonly needs: string
  /** Hosts that need the file; all hosts if absent. */
  readonly only?: readonly LoaderRuntime[]
  /** Loaders that need the file; all loaders if absent. */
  readonly use?: LoaderUse
}

const GENERIC = ['jit', '51', '54'] as const

/**
 * Each file is listed after its dependencies. It receives their tables as `...`, with nil for those that its
 * host does not need.
 */
const MODULES: readonly Module[] = [
  { name: 'words', file: 'crypto-words', needs: '' },
  { name: 'arithmetic', file: 'crypto-words-plain', needs: 'words', only: ['51'] },
  { name: 'hash', file: 'crypto-hash', needs: 'words' },
  { name: 'field', file: 'crypto-field', needs: '' },
  { name: 'curve', file: 'crypto-curve', needs: 'field' },
  { name: 'buffers', file: 'crypto-stream-buffers', needs: 'words', only: ['luau'] },
  { name: 'plain', file: 'crypto-stream-plain', needs: '', only: ['51'] },
  { name: 'stream', file: 'crypto-stream-text', needs: 'words,plain', only: GENERIC },
  { name: 'poly1305', file: 'crypto-poly1305', needs: 'field' },
  { name: 'cipher', file: 'crypto-cipher', needs: 'poly1305,buffers,stream' },
  { name: 'base64', file: 'base64', needs: '' },
  { name: 'json', file: 'json', needs: '' },
  { name: 'lz4', file: 'lz4', needs: '' },
  { name: 'host', file: 'host', needs: '' },
  { name: 'files', file: 'files', needs: '' },
  { name: 'notes', file: 'notes', needs: 'host,files' },
  { name: 'entropy', file: 'entropy', needs: 'host' },
  { name: 'machine', file: 'machine', needs: 'host', only: GENERIC },
  { name: 'environment', file: 'environment', needs: 'host,notes,entropy,hash,base64,machine' },
  { name: 'keyCheck', file: 'key-check', needs: '' },
  { name: 'sockets', file: 'transport-socket', needs: 'host', only: GENERIC },
  { name: 'curl', file: 'transport-curl', needs: 'host', only: GENERIC },
  { name: 'transport', file: 'transport', needs: 'host,sockets,curl' },
  { name: 'rfc6455', file: 'websocket-socket', needs: 'host,sockets', only: GENERIC },
  { name: 'websocket', file: 'websocket', needs: 'host,rfc6455' },
  { name: 'handshake', file: 'handshake', needs: 'hash,curve,cipher,base64' },
  { name: 'heartbeat', file: 'heartbeat', needs: 'hash,cipher,base64,json' },
  { name: 'isUtf8', file: 'utf8', needs: '' },
  { name: 'session', file: 'session', needs: 'host,websocket,hash,cipher,base64,json,isUtf8' },
  { name: 'vault', file: 'vault', needs: 'hash,cipher,base64' },
  { name: 'view', file: 'view', needs: 'host,json' },
  { name: 'queue', file: 'queue', needs: '' },
  { name: 'outgoing', file: 'outgoing', needs: 'json,isUtf8' },
  { name: 'asks', file: 'asks', needs: 'host,json,isUtf8' },
  { name: 'values', file: 'values', needs: 'json,isUtf8' },
  { name: 'serverCode', file: 'server-code', needs: 'host,json,values' },
  { name: 'scrub', file: 'scrub', needs: 'isUtf8' },
  { name: 'errors', file: 'errors', needs: 'host,json,scrub' },
  { name: 'probe', file: 'probe', needs: 'host' },
  {
    name: 'live',
    file: 'live',
    needs: 'host,heartbeat,session,vault,view,queue,outgoing,asks,serverCode,errors,probe,base64',
  },
  { name: 'open', file: 'open', needs: 'cipher,lz4' },
  { name: 'sha512', file: 'crypto-sha512', needs: 'words', use: 'file' },
  { name: 'verify', file: 'crypto-ed25519', needs: 'curve,sha512', use: 'file' },
  { name: 'isSigned', file: 'signed', needs: 'verify,base64', use: 'file' },
  { name: 'isPinned', file: 'pins', needs: 'hash,isSigned,base64', use: 'file' },
  {
    name: 'loader',
    file: 'loader',
    needs: 'host,environment,keyCheck,transport,websocket,entropy,handshake,live,open,base64,json,isPinned',
  },
]

/** Files shared by the library and the loaders. */
const IN_LIBRARY: ReadonlySet<string> = new Set([
  ...['words', 'arithmetic', 'hash', 'field', 'curve', 'sha512', 'verify', 'isSigned', 'base64', 'json'],
  ...['host', 'files', 'notes', 'entropy', 'machine', 'environment', 'sockets', 'curl', 'transport'],
])

const LIBRARY_MODULES: readonly Module[] = [
  { name: 'memory', file: 'memory', needs: 'notes' },
  { name: 'kept', file: 'kept', needs: 'files' },
  { name: 'results', file: 'results', needs: 'host,environment,json,memory' },
  {
    name: 'library',
    file: 'library',
    needs: 'host,files,environment,transport,entropy,hash,base64,json,isSigned,memory,results,kept',
  },
]

const WINDOW_MODULES: readonly Module[] = [
  { name: 'times', file: 'window-times', needs: '' },
  { name: 'look', file: 'window-look', needs: 'tools' },
  { name: 'screen', file: 'window-screen', needs: 'tools,look' },
  { name: 'terminal', file: 'window-terminal', needs: 'tools,times' },
  { name: 'window', file: 'window', needs: 'settings,tools,screen,terminal,times' },
]

const CHECK_MODULES: readonly Module[] = [
  { name: 'words', file: 'crypto-words', needs: '' },
  { name: 'arithmetic', file: 'crypto-words-plain', needs: 'words' },
  { name: 'hash', file: 'crypto-hash', needs: 'words' },
  { name: 'sha512', file: 'crypto-sha512', needs: 'words' },
  { name: 'field', file: 'crypto-field', needs: '' },
  { name: 'curve', file: 'crypto-curve', needs: 'field' },
  { name: 'verify', file: 'crypto-ed25519', needs: 'curve,sha512' },
  { name: 'base64', file: 'base64', needs: '' },
  { name: 'json', file: 'json', needs: '' },
  { name: 'check', file: 'check', needs: 'words,hash,verify,base64,json' },
]

/**
 * No string in these files spans lines and no comment follows code, so lines can be trimmed and removed
 * safely.
 */
function compact(file: string): string {
  const text = readFileSync(new URL(`../lua/${file}.lua`, import.meta.url), 'utf8')
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('--')).join('\n')
}
