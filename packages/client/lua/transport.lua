-- The transports for one HTTP request, in the order that they are tried (client protocol, section 15). Each
-- returns `status, body`; `nil, problem` if it got no usable answer; or `false` if this host does not support
-- it. Everything sent is already encrypted, so a transport does not have to be trusted.

-- The transports for generic hosts, LuaSocket and curl, are in separate files, which loaders for Luau omit.
local host, sockets, curl = ...
local pcall, type, tonumber = pcall, type, tonumber
local match, gmatch, find, sub, concat = string.match, string.gmatch, string.find, string.sub, table.concat
local try = host.try

local TIMEOUT_SECONDS = 15
local MAX_QUERY_LENGTH = 4096
local MAX_PROBLEM_LENGTH = 100

local function message(method, url, body)
  local headers = body and { ['Content-Type'] = 'text/plain' } or {}
  return { Url = url, Method = method, Headers = headers, Body = body }
end

-- An executor's errors can have any type and length.
local function raised(problem)
  return type(problem) == 'string' and problem or 'raised ' .. host.kind(problem)
end

local function readAnswer(answer)
  local status = try(function() return tonumber(answer.StatusCode) end)
  local body = try(function() return answer.Body end)
  local hasStatus = status ~= nil and status >= 100
  if hasStatus and type(body) == 'string' then return status, body end
  local reason = host.text(try(function() return answer.StatusMessage end))
  if reason then return nil, reason end
  if type(answer) ~= 'table' and status == nil then return nil, 'returned ' .. host.kind(answer) end
  return nil, hasStatus and 'returned no Body' or 'returned no StatusCode'
end

local function byExecutor(request)
  return function(method, url, body)
    local ok, answer = pcall(request, message(method, url, body))
    if not ok then return nil, raised(answer) end
    return readAnswer(answer)
  end
end

-- Raises an error if the game is not allowed to send requests.
local function byPlatform(method, url, body)
  local http = host.platform('HttpService')
  if not http then return false end
  local ok, answer = pcall(function() return http:RequestAsync(message(method, url, body)) end)
  if not ok then return nil, raised(answer) end
  return readAnswer(answer)
end

-- Returns the HTTP status in an error. Other errors may contain the port of HTTPS or a number of milliseconds.
local function statusIn(problem)
  for status, after in gmatch(problem, '%f[%d]([45]%d%d)%f[%D]()') do
    local isTime = find(problem, '^ ?ms%f[%A]', after) or find(problem, '^ ?milli', after)
    if status ~= '443' and not isTime then return tonumber(status) end
  end
end

-- As a last resort, game platforms can send only GET requests, so the body is sent in the URL.
local function byGameGet(_, url, body)
  if not try(function() return host.game.HttpGet end) then return false end
  if body and #body > MAX_QUERY_LENGTH then return nil, 'the request is too long for a URL' end
  local address = body and url .. '?b=' .. body or url
  local ok, answer = pcall(function() return host.game:HttpGet(address) end)
  if ok then
    if type(answer) == 'string' then return 200, answer end
    return nil, 'returned ' .. host.kind(answer)
  end
  local status = statusIn(raised(answer))
  if status then return status, '' end
  return nil, raised(answer)
end

local function bySocket(...)
  if sockets then return sockets.send(...) end
end

local function byCurl(...)
  if curl then return curl(...) end
end

local WAYS = {}

local function add(name, send)
  WAYS[#WAYS + 1] = { name = name, send = send }
end

for i = 1, #host.requests do add(host.requests[i].name, byExecutor(host.requests[i].call)) end
add('HttpService', byPlatform)
add('LuaSocket', bySocket)
add('curl', byCurl)
add('game:HttpGet', byGameGet)

-- The first transport that returned a usable answer. All later requests use it.
local proven = nil

local transport = {}

-- Many executors have functions that raise an error or return nothing useful, so each transport is tried
-- until one works. The server counts a repeated body only once. If none works, the error message names each
-- transport.
function transport.send(method, url, body, seconds)
  local problems = {}
  local ways = proven and { proven } or WAYS
  for i = 1, #ways do
    local status, answer = ways[i].send(method, url, body, seconds or TIMEOUT_SECONDS)
    if status then
      proven = ways[i]
      return status, answer
    end
    if answer then
      problems[#problems + 1] = ways[i].name .. ': ' .. sub(match(answer, '^[^\r\n]*'), 1, MAX_PROBLEM_LENGTH)
    end
  end
  if #problems > 0 then return nil, concat(problems, '; ') end
  return false, 'this host has no way to send an HTTP request; LuaSocket or curl gives it one'
end

-- Maximum bytes of a request body; a guess before the first request.
function transport.maxBody()
  local onlyReads = host.game and not host.request and not host.platform('HttpService')
  if proven then onlyReads = proven.send == byGameGet end
  return onlyReads and MAX_QUERY_LENGTH or 65536
end

-- Returns whether responses arrive with all bytes unchanged.
function transport.isRaw(url)
  if host.request or host.platform('HttpService') or not sockets then return false end
  return sockets.usable(url) ~= nil
end

return transport
