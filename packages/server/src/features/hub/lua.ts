/** What the hub address serves besides loaders. Like a loader, it is ASCII Lua that runs on every host. */
import { luaString } from '@scriptward/client/bundle'
import type { Language } from '../../pages/language.ts'
import { say } from '../../pages/words.ts'

/**
 * Reads the IDs of the game and its language, and requests the hub address again with them. IDs have up to 15 digits so far, which
 * `tostring` of Lua 5.1 would round. Each access is guarded because hosts without a game have none of these names.
 */
export function renderStub(address: string): string {
  return `local function id(name)
local ok,value=pcall(function()return string.format("%.0f",game[name])end)
return ok and value or"0"
end
local url=${luaString(address)}.."place="..id("PlaceId").."&game="..id("GameId")
local known,tag=pcall(function()return game:GetService("LocalizationService").RobloxLocaleId:match("^%a%a%a?")end)
if known and tag then url=url.."&lang="..tag end
local ok,text=pcall(function()return game:HttpGet(url)end)
if not ok or type(text)~="string"then
ok,text=pcall(function()
local send=request or http_request or syn.request
return send({Url=url,Method="GET"}).Body
end)
end
if not ok or type(text)~="string"then error("scriptward: the server can't be reached from this host",0)end
local run,problem=(loadstring or load)(text,"=scriptward")
if not run then error("scriptward: "..tostring(problem),0)end
return run(...)
`
}

/** `names` are the first of `total` scripts. */
export function renderUnsupported(language: Language, names: readonly string[], total: number): string {
  const first = names.join(', ')
  const rest = total - names.length
  const all = rest > 0 ? say(language, 'hub_more', { names: first, number: rest }) : first
  const words = total === 0 ? say(language, 'hub_empty') : say(language, 'hub_unsupported', { names: all })
  return `error(${luaString(`scriptward: ${words}`)},0)\n`
}
