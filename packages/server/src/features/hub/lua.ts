/** What the hub address serves besides loaders. Like a loader, it is ASCII Lua that runs on every host. */
import { luaString } from '@scriptward/client/bundle'

/**
 * Reads the IDs of the game and requests the hub address again with them. IDs have up to 15 digits so far, which
 * `tostring` of Lua 5.1 would round. Each access is guarded because hosts without a game have none of these names.
 */
export function renderStub(address: string): string {
  return `local function id(name)
local ok,value=pcall(function()return string.format("%.0f",game[name])end)
return ok and value or"0"
end
local url=${luaString(address)}.."place="..id("PlaceId").."&game="..id("GameId")
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
export function renderUnsupported(names: readonly string[], total: number): string {
  const more = total > names.length ? ` and ${total - names.length} more` : ''
  const words =
    total === 0
      ? 'this project supports no games yet'
      : `this game is not supported. Supported: ${names.join(', ')}${more}`
  return `error(${luaString(`scriptward: ${words}`)},0)\n`
}
