/**
 * T14: removes library functions one by one and searches the script's error messages for names and lines of
 * the source.
 */

import type { Bytes } from '../src/syntax/ast.ts'
import type { Attack, Host, Sample } from './attack.ts'
import { runHost } from './host.ts'
import { readTree, wordsOf } from './tree.ts'

export const errors: Attack = {
  id: 'T14',
  name: 'error messages',
  async run(sample, { code }, host) {
    const lines = await errorsOf(sample.source, host)
    const found = await errorsOf(code, host)
    const leaking = found.filter((text) => leaks(text, sample, lines))
    return {
      score: found.length === 0 ? 1 : 1 - leaking.length / found.length,
      evidence: `${leaking.length} of ${found.length} texts${leaking[0] ? `: ${leaking[0].slice(0, 80)}` : ''}`,
    }
  },
}

async function errorsOf(code: Bytes, host: Host): Promise<Bytes[]> {
  const { output } = await runHost(host, RUN, [code])
  return output.split('\n').filter((line) => line !== '')
}

/** Error messages quote names, which are leaks. They also quote the program's own strings, which are not. */
function leaks(text: Bytes, { source, secrets }: Sample, originals: readonly Bytes[]): boolean {
  const fields = [...wordsOf(readTree(source)).strings].filter((each) => /^[A-Za-z_]\w{4,}$/.test(each))
  const names = [...text.matchAll(/'([A-Za-z_]\w+)'/g)].map((match) => match[1] ?? '')
  const own = new Set([...secrets.names, ...fields.filter((each) => isSecret(each, secrets))])
  const lines = new Set(originals.flatMap((each) => linesOf(each)))
  return names.some((each) => own.has(each)) || linesOf(text).some((each) => each !== '1' && lines.has(each))
}

function isSecret(text: Bytes, { executed, cold }: Sample['secrets']): boolean {
  return executed.has(text) || cold.has(text)
}

function linesOf(text: Bytes): Bytes[] {
  return [...text.matchAll(/script:(\d+):/g)].map((match) => match[1] ?? '')
}

const RUN = `
local write, file = io.write, io.open(arg[1], 'rb')
local text, gsub, traceback, xpcall, loadstring = file:read('*a'), string.gsub, debug.traceback, xpcall, loadstring
local tostring = tostring
print = function() end
local places = {}
for _, name in pairs({ 'print', 'ipairs', 'pairs', 'pcall', 'assert', 'select', 'tonumber', 'unpack', 'error' }) do
  places[#places + 1] = { _G, name }
end
for _, library in pairs({ string, table, math, coroutine }) do
  for name in pairs(library) do places[#places + 1] = { library, name } end
end
for _, place in pairs(places) do
  local holder, name = place[1], place[2]
  local kept = holder[name]
  local chunk = loadstring(text, '=script')
  holder[name] = nil
  local ok, problem = xpcall(chunk, function(problem) return tostring(problem) .. traceback('', 2) end)
  holder[name] = kept
  if not ok then write((gsub(problem, '[\\r\\n]', ' ')), '\\n') end
end
`
