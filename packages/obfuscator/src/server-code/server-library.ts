/**
 * The globals of server code: those parts of Luau's library that do not depend on the host, and the fields of
 * `ward`.
 */

const LIBRARIES: Readonly<Record<string, string>> = {
  math: `abs acos asin atan atan2 ceil clamp cos cosh deg exp floor fmod frexp huge ldexp lerp log log10 map max min
    modf noise pi pow rad random randomseed round sign sin sinh sqrt tan tanh`,
  string: `byte char find format gmatch gsub len lower match pack packsize rep reverse split sub unpack upper`,
  table: `clear clone concat create find freeze insert isfrozen maxn move pack remove sort unpack`,
  bit32: `arshift band bnot bor btest bxor countlz countrz extract lrotate lshift replace rrotate rshift byteswap`,
  os: `clock date difftime time`,
  utf8: `char charpattern codepoint codes len offset`,
  buffer: `copy create fill fromstring len readf32 readf64 readi16 readi32 readi8 readstring readu16 readu32 readu8
    tostring writef32 writef64 writei16 writei32 writei8 writestring writeu16 writeu32 writeu8 readbits writebits`,
}

const FUNCTIONS = `assert error getmetatable ipairs next pairs pcall rawequal rawget rawlen rawset select setmetatable
  tonumber tostring type typeof unpack xpcall _VERSION`

/** Libraries whose functions depend only on their arguments. */
const PURE: ReadonlySet<string> = new Set(['math', 'string', 'bit32', 'utf8'])
const IMPURE_MEMBERS: ReadonlySet<string> = new Set(['random', 'randomseed'])

/** Suggested fixes for names that authors may expect but that are not available on the server. */
const CURES: Readonly<Record<string, string>> = {
  coroutine: 'a server function cannot wait: wait in the script',
  print: 'nobody sees what a server function prints: return the text and print it in the script',
  warn: 'nobody sees what a server function prints: return the text and print it in the script',
  wait: 'a server function cannot wait: wait in the script',
  task: 'a server function cannot wait: wait in the script',
  bit: "Luau has 'bit32' instead: pass results of 'bit' as parameters",
  getfenv: 'a server function has no environment to change',
  setfenv: 'a server function has no environment to change',
  require: "a server function has no files: move what it needs into this file, as a 'local function'",
}

const members = new Map(Object.entries(LIBRARIES).map(([name, list]) => [name, new Set(list.split(/\s+/))]))
const functions: ReadonlySet<string> = new Set(FUNCTIONS.split(/\s+/))

/** Whether the global is a function or library that is available on the server. */
export function isOnServer(name: string): boolean {
  return functions.has(name) || members.has(name)
}

/** Whether the library has this field. True for globals that are not libraries. */
export function hasMember(library: string, member: string): boolean {
  return members.get(library)?.has(member) ?? true
}

/** Whether this library function returns the same results whenever it gets the same arguments. */
export function isPure(library: string, member: string): boolean {
  return PURE.has(library) && hasMember(library, member) && !IMPURE_MEMBERS.has(member)
}

export function cureOf(name: string): string {
  const general = 'pass what the function needs from it as a parameter'
  return Object.hasOwn(CURES, name) ? (CURES[name] ?? general) : general
}

/** The fields of `ward` in server code. The server sets them, so a script cannot forge them. */
export const SERVER_WARD: ReadonlySet<string> = new Set([
  ...['is_premium', 'plan', 'features', 'tags', 'metadata', 'status', 'in_grace', 'chat_id', 'note'],
  ...['script_version', 'executor', 'user', 'expiry', 'seconds_left', 'limit'],
])
