/** Code snippets that load a script. */

export type Runtime = 'any' | '51' | 'jit' | '54' | 'luau'

export function snippetsOf(scriptId: string, key: string) {
  const loader = `${location.origin}/client/v1/loader/${scriptId}`
  return {
    executor: `${keyLine(key)}\nloadstring(game:HttpGet("${loader}"))()`,
    lua: onCommandLine('lua5.1', `${loader}?rt=51`, key),
    luajit: onCommandLine('luajit', `${loader}?rt=jit`, key),
  } as const
}

/** Returns the lines that open the key window. `options` is a Lua table constructor, or an empty string. */
export function windowLines(projectId: string, options: string): string {
  const library = `${location.origin}/client/v1/library?project=${projectId}`
  return `local ward = loadstring(game:HttpGet("${library}"))()\nward.window${options || '()'}`
}

/** Quotes a string as a Lua string literal. */
export function luaQuoted(given: string): string {
  const code = (character: string) => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Lua strings can't contain line breaks.
  return `"${given.replace(/["\\]/g, '\\$&').replace(/[\0-\x1f\x7f]/g, code)}"`
}

/** Whether the server's URL works only on this machine. */
export function isHere(hostname = location.hostname): boolean {
  return /^(?:(?:.+\.)?localhost|\[::1?\]|0\.0\.0\.0|127\.\d+\.\d+\.\d+)$/.test(hostname)
}

/** Returns the line that sets the key above a standalone loader. */
export function keyLine(key: string): string {
  return `script_key = "${escaped(key, /["\\]/g)}"`
}

/** Passes the key in an environment variable, because other users of the machine can see command lines. */
function onCommandLine(command: string, loader: string, key: string): string {
  return `curl -s "${loader}" -o loader.lua\nSCRIPT_KEY="${escaped(key, /["\\$`]/g)}" ${command} loader.lua`
}

/** Escapes a key, because imported and pasted keys may contain any character. */
function escaped(key: string, special: RegExp): string {
  return key.replaceAll(/[\n\r]/g, '').replaceAll(special, '\\$&')
}
