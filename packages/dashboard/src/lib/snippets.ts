/** The lines that bring a script to its users. */

export type Runtime = 'any' | '51' | 'jit' | '54' | 'luau'

export function snippetsOf(scriptId: string, key: string) {
  const loader = `${location.origin}/client/v1/loader/${scriptId}`
  return {
    executor: `${keyLine(key)}\nloadstring(game:HttpGet("${loader}"))()`,
    lua: onCommandLine('lua5.1', `${loader}?rt=51`, key),
    luajit: onCommandLine('luajit', `${loader}?rt=jit`, key),
  } as const
}

/** Whether only the machine of this browser reaches the address that the lines name. */
export function isHere(hostname = location.hostname): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** What stands above a loader that is kept as a file. */
export function keyLine(key: string): string {
  return `script_key = "${escaped(key, /["\\]/g)}"`
}

/** The key is in the environment, because everybody on the machine can read a command line. */
function onCommandLine(command: string, loader: string, key: string): string {
  return `curl -s "${loader}" -o loader.lua\nSCRIPT_KEY="${escaped(key, /["\\$`]/g)}" ${command} loader.lua`
}

/** Imported keys may have any printable character, and what was pasted may be anything. */
function escaped(key: string, special: RegExp): string {
  return key.replaceAll(/[\n\r]/g, '').replaceAll(special, '\\$&')
}
