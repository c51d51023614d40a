/** T15: records everything that is passed to functions that load code, including the script itself. */

import type { Bytes } from '../src/syntax/ast.ts'
import { type Attack, gained } from './attack.ts'
import { runHost } from './host.ts'
import { PRELUDE, reported, within } from './recorded.ts'
import { readTree, wordsOf } from './tree.ts'

export const loading: Attack = {
  id: 'T15',
  name: 'code passed to load',
  async run({ secrets }, { code }, host) {
    const wanted = new Set([...secrets.executed, ...secrets.cold])
    const { output } = await runHost(host, PRELUDE + RUN, [code])
    const texts = reported(output)
    return gained(within(texts.flatMap(readable), wanted), wanted)
  },
}

/** Returns the string and, if it is Lua code, its string literals without escapes. */
function readable(text: Bytes): readonly Bytes[] {
  try {
    return [text, ...wordsOf(readTree(text)).strings]
  } catch {
    return [text]
  }
}

const RUN = `
local loadstring, load, dump, pcall = loadstring, load, string.dump, pcall
local file = io.open(arg[1], 'rb')
local text = file:read('*a')
print = function() end
_G.loadstring = function(code, ...) see(code) return loadstring(code, ...) end
_G.load = function(reader, ...)
  if type(reader) == 'string' then see(reader) return load(reader, ...) end
  return load(function() local piece = reader() see(piece) return piece end, ...)
end
string.dump = function(f) local code = dump(f) see(code) return code end
local chunk = _G.loadstring(text, '=script')
if chunk then pcall(chunk, 'first') end
report()
`
