// The functions that a host may lack (client protocol, Probe). A client reports only which of them exist.

/**
 * Number of the list below, sent as `probe` in a grant. A list never changes: a different set of functions
 * gets a new number.
 */
export const PROBE_LIST = 1

/** Functions that executors provide, and library functions that some hosts lack, in bit order. */
export const PROBED_FUNCTIONS: readonly string[] = `
  request http_request http.request WebSocket.connect writefile readfile appendfile isfile delfile
  listfiles isfolder makefolder delfolder loadfile dofile getcustomasset hookfunction hookmetamethod
  restorefunction newcclosure iscclosure islclosure isexecutorclosure checkcaller clonefunction
  getrawmetatable setrawmetatable setreadonly isreadonly getnamecallmethod getgenv getrenv getsenv
  getgc getreg filtergc getloadedmodules getrunningscripts getscripts getscriptbytecode
  getscriptclosure decompile getconnections firesignal fireclickdetector fireproximityprompt
  firetouchinterest gethiddenproperty sethiddenproperty isscriptable setscriptable gethui getinstances
  getnilinstances cloneref compareinstances getthreadidentity setthreadidentity identifyexecutor
  gethwid setclipboard setfpscap queue_on_teleport mouse1click keypress loadstring lz4compress
  Drawing.new crypt.encrypt crypt.hash crypt.generatebytes crypt.base64encode debug.getconstants
  debug.setconstant debug.getupvalue debug.getupvalues debug.setupvalue debug.getproto debug.getprotos
  debug.getstack debug.getinfo debug.info getfenv setfenv unpack table.clone table.find table.move
  table.unpack string.split string.pack math.clamp bit32.band buffer.create utf8.char coroutine.close
  task.spawn task.wait io.open os.execute
`
  .trim()
  .split(/\s+/)

/**
 * Each hexadecimal digit of `has` represents four functions. The highest bit represents the first function.
 */
export interface ProbeAnswer {
  readonly v: typeof PROBE_LIST
  readonly has: string
}

const BITS = 4
const DIGITS = /^[0-9a-f]+$/

/** Requires exactly one digit for every four functions, and rejects bits that represent no function. */
export function isProbeAnswer(value: unknown): value is ProbeAnswer {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { v, has, ...rest } = value as Readonly<Record<string, unknown>>
  if (v !== PROBE_LIST || typeof has !== 'string' || Object.keys(rest).length > 0) return false
  return has.length === PROBED_FUNCTIONS.length / BITS && DIGITS.test(has)
}

/** Returns whether each function of the list exists, in order. */
export function readProbe(has: string): boolean[] {
  return PROBED_FUNCTIONS.map((_, i) => {
    const digit = Number.parseInt(has[Math.floor(i / BITS)] ?? '0', 16)
    return (digit & (8 >> (i % BITS))) !== 0
  })
}

export function writeProbe(found: readonly boolean[]): string {
  const digits = Array.from({ length: Math.ceil(found.length / BITS) }, (_, i) => {
    const four = found.slice(i * BITS, (i + 1) * BITS)
    return four.reduce((sum, isFound, bit) => sum + (isFound ? 8 >> bit : 0), 0).toString(16)
  })
  return digits.join('')
}
